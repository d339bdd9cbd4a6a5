"""Continuous control: forces move a particle with mass past obstacles to a goal (Section 4.3 of the paper)."""
