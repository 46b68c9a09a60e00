"""A YAML editor for Streamlit pages: line numbers, problems on their lines, and no key ever lost."""

from workbench.ui.yaml_editor.component import EditorState, edited_text, yaml_editor
from workbench.ui.yaml_editor.diagnostic import Diagnostic, Severity

__all__ = ["Diagnostic", "EditorState", "Severity", "edited_text", "yaml_editor"]
