"""A trained policy on maps: routes, scenarios, images, and evaluation on a set of problems."""
