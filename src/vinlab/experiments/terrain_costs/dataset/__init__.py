"""Datasets of images and demonstrated paths: files of several layouts, their checks, and what a learner is given."""
