import numpy as np

from vinlab.figures.tree import TreePlan, spread_tree, tree_figure

PARENTS = np.array([0, 0, 0, 1, 1, 2])


def test_levels_lie_on_rings_and_leaves_have_the_same_room():
    positions = spread_tree(PARENTS)
    np.testing.assert_allclose(np.linalg.norm(positions, axis=1), [0, 1, 1, 2, 2, 2], atol=1e-12)
    leaves = positions[[3, 4, 5]]
    gaps = [np.linalg.norm(leaves[i] - leaves[j]) for i, j in ((0, 1), (1, 2), (0, 2))]
    np.testing.assert_allclose(gaps, gaps[0])


def test_clicked_pages_are_numbered_in_their_order():
    plan = TreePlan([f"p{n}" for n in range(6)], PARENTS, np.linspace(0, 1, 6), [0, 2, 5], "a query " * 60)
    figure = tree_figure(plan)
    texts = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert {"0  p0", "1  p2", "2  p5"} <= set(texts)
    assert figure.texts[0].get_text().endswith("…")


def test_long_titles_at_the_rim_lie_inside_the_figure():
    titles = [f"p{n} with a rather long title" for n in range(6)]
    figure = tree_figure(TreePlan(titles, PARENTS, np.linspace(0, 1, 6), [0, 2, 5], "a query"))
    figure.canvas.draw()
    page = figure.bbox
    for text in figure.axes[0].texts:
        if text.get_text():
            drawn = text.get_window_extent()
            assert page.x0 <= drawn.x0 < drawn.x1 <= page.x1
            assert page.y0 <= drawn.y0 < drawn.y1 <= page.y1
