/**
 * The editor's JSON document of a WYSIWYG text (property `wysiwyg.columns.rest_api_json_mode`): the tree of blocks and marked
 * texts of ProseMirror and TipTap editors.
 */
export interface EditorNode {
  readonly type: string
  readonly attrs?: EditorAttributes
  readonly content?: readonly EditorNode[]
  readonly text?: string
  readonly marks?: readonly EditorMark[]
}

export interface EditorMark {
  readonly type: string
  readonly attrs?: EditorAttributes
}

export type EditorAttributes = Readonly<Record<string, string | number | boolean>>

/**
 * Which elements of a text are in its document: those that editors of this JSON know (`json`), or all that Docket stores, as
 * docs/api-for-pages.md describes (`elements`).
 */
export type DocumentDetail = 'json' | 'elements'

/** Whether a JSON value is intended as an editor's document; its nodes are not checked. */
export function isEditorDocument(value: unknown): value is { readonly type: 'doc' } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'doc'
}
