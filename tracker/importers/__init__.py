"""Catalogues made from what is there already: a project's declarations, and what other files cite of them."""
