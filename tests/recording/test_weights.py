import io
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from vinlab.recording import weights
from vinlab.recording.weights import (
    fill,
    load_tensors,
    load_tensors_and_metadata,
    require_fitting,
    save_tensors,
)
from vinlab.types import InputError


def sound_file() -> bytes:
    from safetensors.torch import save

    return save({"a": torch.arange(100.0)})


def torch_saved(*, zipped: bool) -> bytes:
    buffer = io.BytesIO()
    torch.save({"a": torch.zeros(3)}, buffer, _use_new_zipfile_serialization=zipped)
    return buffer.getvalue()


def test_tensors_and_texts_come_back_bit_for_bit(tmp_path: Path) -> None:
    shared = torch.randn(3, 4)
    tensors = {
        "a": shared,
        "b": shared.T,
        "c": torch.tensor(7),
        "d": torch.tensor([True]),
        "e": torch.zeros(0, 2),
    }
    save_tensors(tmp_path / "w", tensors, {"id": "x/é"})
    loaded, metadata = load_tensors_and_metadata(tmp_path / "w")
    assert metadata == {"id": "x/é"}
    assert loaded.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert loaded[name].dtype == tensor.dtype
        assert torch.equal(loaded[name], tensor)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: b"", "is empty"),
        (lambda: sound_file()[:5], "truncated or damaged"),
        (lambda: sound_file()[:30], "truncated or damaged"),
        (lambda: sound_file()[:-1], "truncated or damaged"),
        (lambda: b"\x89PNG\r\n\x1a\n" + bytes(100), "of another kind"),
        (lambda: b"some text that is long enough", "of another kind"),
        (
            lambda: torch_saved(zipped=True),
            "expected a .safetensors file, got .* torch.save.*pickles are never loaded",
        ),
        (lambda: torch_saved(zipped=False), "expected a .safetensors file, got .*pickles are never loaded"),
        (lambda: pickle.dumps({"a": 1}), "pickles are never loaded"),
        (lambda: pickle.dumps(None), "pickles are never loaded"),
        (lambda: pickle.dumps(list(range(10_000)), protocol=2), "pickles are never loaded"),
    ],
)
def test_a_bad_file_is_named_with_its_fault(
    tmp_path: Path, content: Callable[[], bytes], sentence: str
) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(content())
    with pytest.raises(InputError, match=sentence) as caught:
        load_tensors(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        load_tensors(tmp_path / "w")


def test_loading_never_runs_a_pickle(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
            return (Path.touch, (tmp_path / "sprung",))  # type: ignore[return-value]

    (tmp_path / "w").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InputError):
        load_tensors(tmp_path / "w")
    assert not (tmp_path / "sprung").exists()


def test_loaded_weights_are_the_saved_ones(tmp_path: Path) -> None:
    ours, theirs = nn.Linear(3, 2), nn.Linear(3, 2)
    save_tensors(tmp_path / "w", theirs.state_dict())
    fill(ours, load_tensors(tmp_path / "w"), tmp_path / "w")
    assert torch.equal(ours.weight, theirs.weight)
    assert torch.equal(ours.bias, theirs.bias)


def test_weights_of_another_network_are_refused_by_name_and_shape(tmp_path: Path) -> None:
    module = nn.Linear(3, 2)
    before = module.weight.clone()
    save_tensors(tmp_path / "w", {"weight": torch.zeros(2, 4), "gamma": torch.zeros(1)})
    with pytest.raises(InputError) as caught:
        fill(module, load_tensors(tmp_path / "w"), tmp_path / "w")
    assert str(caught.value) == (
        f"The weights in {tmp_path / 'w'} do not fit Linear: missing bias; unexpected gamma;"
        " other shapes weight (expected 2×3, got 2×4)."
    )
    assert torch.equal(module.weight, before)


def test_a_long_list_of_names_is_cut_short(tmp_path: Path) -> None:
    save_tensors(tmp_path / "w", {f"layer{number}": torch.zeros(1) for number in range(9)})
    with pytest.raises(InputError, match="layer0, layer1, layer2, layer3, layer4 and 4 more"):
        fill(nn.Identity(), load_tensors(tmp_path / "w"), tmp_path / "w")


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused(tmp_path: Path, bad: float) -> None:
    module = nn.Linear(3, 2)
    before = module.bias.clone()
    save_tensors(tmp_path / "w", {"weight": torch.full((2, 3), bad), "bias": torch.zeros(2)})
    with pytest.raises(InputError, match=r"expected finite numbers, got nan or infinite ones in weight\.$"):
        fill(module, load_tensors(tmp_path / "w"), tmp_path / "w")
    assert torch.equal(module.bias, before)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_tensors(tmp_path / "a", {"a": torch.zeros(100)})
    assert weights.LARGEST_TENSORS <= 2**28
    size = (tmp_path / "a").stat().st_size
    monkeypatch.setattr(weights, "LARGEST_TENSORS", size)
    assert load_tensors(tmp_path / "a")["a"].shape == (100,)
    monkeypatch.setattr(weights, "LARGEST_TENSORS", size - 1)
    with pytest.raises(InputError, match=f"expected at most {size - 1} bytes, got {size}"):
        load_tensors(tmp_path / "a")


def test_a_header_of_the_largest_size_is_read_and_no_larger_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_tensors(tmp_path / "w", {"a": torch.zeros(3)}, {"note": "é" * 7})
    length = int.from_bytes((tmp_path / "w").read_bytes()[:8], "little")
    assert length % 8 == 0
    monkeypatch.setattr(weights, "LARGEST_HEADER", length)
    assert load_tensors_and_metadata(tmp_path / "w")[1] == {"note": "é" * 7}
    monkeypatch.setattr(weights, "LARGEST_HEADER", length - 1)
    with pytest.raises(InputError, match="truncated or damaged"):
        load_tensors(tmp_path / "w")


def test_a_header_alone_is_a_whole_file(tmp_path: Path) -> None:
    save_tensors(tmp_path / "w", {})
    assert load_tensors_and_metadata(tmp_path / "w") == ({}, {})


def test_weights_of_a_few_names_are_all_named_and_single_numbers_too() -> None:
    found = {f"layer{number}": torch.zeros(1) for number in range(5)}
    with pytest.raises(InputError, match=r"unexpected layer0, layer1, layer2, layer3, layer4\.$"):
        require_fitting(nn.Identity(), found, "w")
    module = nn.Module()
    module.register_buffer("scale", torch.tensor(1.0))
    with pytest.raises(InputError, match=r"other shapes scale \(expected a single number, got 2\)\.$"):
        require_fitting(module, {"scale": torch.zeros(2)}, "w")
    with pytest.raises(InputError, match=r"other types scale \(expected torch.float32, got torch.int64\)\.$"):
        require_fitting(module, {"scale": torch.tensor(1)}, "w")
    require_fitting(module, {"scale": torch.tensor(2.0)}, "w")
