"""The compiled pooled filters equal a convolution that is max-pooled, in values and gradients."""

import pytest
import torch
from torch.nn import functional

from vinlab.modules.pooled_filters import PooledFilters, pooled_filters


def reference(image, filters, bias, factor):
    responses = functional.conv2d(image, filters, bias, padding=filters.shape[-1] // 2)
    return functional.max_pool2d(responses, factor, ceil_mode=True).movedim(1, -1)


def maps_and_filters(batch, rows, cols, width, *, channels=2, count=7):
    generator = torch.Generator().manual_seed(rows * cols + width)
    image = (torch.rand(batch, channels, rows, cols, generator=generator) < 0.3).float()
    image[:, -1] *= 10 * torch.rand(batch, rows, cols, generator=generator)
    filters = torch.randn(count, channels, width, width, generator=generator, requires_grad=True)
    return image, filters, torch.randn(count, generator=generator, requires_grad=True)


@pytest.mark.parametrize("batch", [1, 5, 40])
@pytest.mark.parametrize(
    ("rows", "cols", "width", "factor"), [(8, 8, 3, 2), (7, 9, 3, 2), (10, 6, 5, 3), (4, 5, 1, 4)]
)
def test_values_and_gradients_are_those_of_a_pooled_convolution(batch, rows, cols, width, factor):
    image, filters, bias = maps_and_filters(batch, rows, cols, width)
    found, expected = (function(image, filters, bias, factor) for function in (pooled_filters, reference))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    sent = torch.randn(expected.shape, generator=torch.Generator().manual_seed(1))
    for mine, theirs in zip(
        torch.autograd.grad(found, (filters, bias), sent),
        torch.autograd.grad(expected, (filters, bias), sent),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-4)


def test_second_derivatives_are_those_of_the_reference():
    image, filters, bias = maps_and_filters(2, 6, 6, 3)
    second = []
    for function in (pooled_filters, reference):
        (first,) = torch.autograd.grad(
            function(image, filters, bias, 2).square().sum(), filters, create_graph=True
        )
        second.append(torch.autograd.grad(first.square().sum(), filters)[0])
    torch.testing.assert_close(*second, rtol=1e-4, atol=1e-2)


def test_of_equal_responses_the_first_cell_gets_the_gradient():
    image = torch.tensor([[[[2.0, 5.0], [5.0, 5.0]]]])
    filters = torch.zeros(1, 1, 1, 1, requires_grad=True)
    pooled_filters(image, filters, torch.zeros(1), 2).sum().backward()
    assert filters.grad is not None
    assert filters.grad.item() == 2.0


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_reaches_the_responses(bad):
    image, filters, bias = maps_and_filters(1, 4, 4, 3)
    image[0, 0, 1, 1] = bad
    assert torch.equal(
        pooled_filters(image, filters, bias, 2).isfinite(), reference(image, filters, bias, 2).isfinite()
    )


def test_a_gradient_of_the_image_is_given(monkeypatch):
    image, filters, bias = maps_and_filters(1, 4, 4, 3)
    monkeypatch.setattr(PooledFilters, "apply", None)  # the compiled kernels have none
    image.requires_grad_()
    (found,) = torch.autograd.grad(pooled_filters(image, filters, bias, 2).sum(), image)
    (expected,) = torch.autograd.grad(reference(image, filters, bias, 2).sum(), image)
    torch.testing.assert_close(found, expected)
