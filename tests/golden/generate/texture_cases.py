"""The golden cases of textures and surfaces: one kernel on one resource with one sampler each, made from splitmix64 alone.
`experiments()` gives them in the form that texture_harness.py runs."""
from texture_lookups import point, special, linear, results, mipmaps, gather, offsets, integer_coordinates, compare, resident, wrong_geometry, views
from texture_edges import cubes, borders, large, flags
from texture_surfaces import loads, stores, formatted, reductions, surface_geometry, faults, queries

def experiments():
    for part in (point, special, linear, results, mipmaps, gather, offsets, integer_coordinates, compare, resident, wrong_geometry, views, cubes, borders, large, flags, loads, stores, formatted, reductions, surface_geometry, faults, queries): yield from part()
