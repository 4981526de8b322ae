/**
 * The editor's JSON document of a WYSIWYG text (property `wysiwyg.columns.rest_api_json_mode`): the tree of blocks and marked
 * texts of ProseMirror and TipTap editors.
 */
export interface EditorNode {
  readonly type: string
  readonly attrs?: Readonly<Record<string, string | number>>
  readonly content?: readonly EditorNode[]
  readonly text?: string
  readonly marks?: readonly EditorMark[]
}

export interface EditorMark {
  readonly type: string
  readonly attrs?: Readonly<Record<string, string>>
}

/** Attributes that any block, mark and picture may have. */
export const COMMON_ATTRIBUTES = ['class', 'dir', 'lang'] as const

/** Further attributes of a link. */
export const LINK_ATTRIBUTES = ['title', 'name', 'target', 'rel'] as const

/** Attributes of the cells of a table. */
export const SPANS = ['colspan', 'rowspan'] as const

/** Whether a JSON value is intended as an editor's document; its nodes are not checked. */
export function isEditorDocument(value: unknown): value is { readonly type: 'doc' } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'doc'
}
