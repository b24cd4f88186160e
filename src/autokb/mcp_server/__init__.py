"""The knowledge base as tools and resources of the Model Context Protocol, over stdio and streamable HTTP."""
