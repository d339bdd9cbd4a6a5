import numpy as np

from vinlab.maps import Frame


def test_cells_of_several_pixels_have_the_world_coordinates_of_their_centres():
    pixels = Frame(a=0.5, b=0.1, c=3.0, d=0.2, e=-0.5, f=7.0, unit="m")
    cells = pixels.of_cells(4)
    for row, col in ((0, 0), (2, 5)):
        four = np.array([(4 * row + down, 4 * col + right) for down in range(4) for right in range(4)])
        np.testing.assert_allclose(
            cells.to_world(np.array([[row, col]]))[0], pixels.to_world(four).mean(axis=0)
        )
