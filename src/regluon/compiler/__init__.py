"""From graphs to programs: passes over the graph, then one flat list of calls of torch functions."""
