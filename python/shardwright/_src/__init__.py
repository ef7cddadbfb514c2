"""The private side of the package. Nothing here is public; import `shardwright` instead."""
