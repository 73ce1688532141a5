"""Builds of a release: the wheel, its bill of materials, the licences within."""
