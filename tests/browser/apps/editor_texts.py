"""The texts that the editor's app shows and its test expects."""

FIRST = """\
# Who may change prices
version: 1
vars:
  model: ${MODEL:-scripted}

agents:
  merchant:
    model: ${model}
    system: >-
      You look after a small shop. Ask before you change anything.
    tools: [search_catalog, set_price, delete_store]
    interrupt:
      tools:
        - {name: "search_*", ask: false}
        - {name: set_price, remember: thread, ttl_seconds: 300}
        - "*"
"""
SECOND = "version: 1\nagents:\n  analyst: {auto: true}\n"
WINDOWS = "{version: 1,\r\n 🙂🙂: ~}\r\n"
