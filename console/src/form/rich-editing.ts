import { type Node, Slice } from 'prosemirror-model'
import type { EditorState } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { adopted } from './rich-adopted.ts'
import { stateOf, tickAt } from './rich-commands.ts'
import { isEmptyDocument, readDocument } from './rich-document.ts'
import { editedOf, richOf } from './rich-edited.ts'
import { richSchema } from './rich-schema.ts'

/** What is copied here, for other fields of the console. */
const clipboardType = 'application/x-docket-rich-text'

interface Listener {
  /** The JSON of the document; empty: no text. */
  readonly changed: (text: string) => void
  /** Also after the selection has changed. */
  readonly stateChanged: (state: EditorState) => void
}

/** A rich text that is edited in an element of the page. */
export class RichEditing {
  readonly view: EditorView
  private readonly listener: Listener
  private text: string
  /** The document of `text`. */
  private stored: Node
  /** The last document that became a text. The form returns each text at once. */
  private written: { readonly doc: Node; readonly text: string }

  constructor(element: HTMLElement, text: string, listener: Listener) {
    this.listener = listener
    this.text = text
    this.stored = editedOf(readDocument(text))
    this.written = { doc: this.stored, text }
    this.view = new EditorView(
      { mount: element },
      {
        state: stateOf(this.stored),
        dispatchTransaction: (transaction) => {
          const state = this.view.state.apply(transaction)
          this.view.updateState(state)
          listener.stateChanged(state)
          if (!transaction.docChanged) return
          listener.changed(this.currentText())
        },
        handleDOMEvents: { copy, cut: copy, paste, drop },
        handleClick: (_view, _pos, event) => openLink(event),
        handleClickOn: (view, _pos, _node, nodePos, _event, isDirect) => isDirect && tick(view, nodePos),
      },
    )
    listener.stateChanged(this.view.state)
  }

  /** A text from elsewhere. One that says what is there already leaves the caret, and what can be undone. */
  setText(text: string): void {
    if (text === this.currentText()) return
    this.text = text
    this.stored = editedOf(readDocument(text))
    if (!this.stored.eq(this.view.state.doc)) this.view.updateState(adopted(this.view.state, this.stored))
    this.stored = this.view.state.doc
    this.written = { doc: this.stored, text }
    this.listener.stateChanged(this.view.state)
  }

  /** If all edits are undone, this is the stored text, unchanged. */
  private currentText(): string {
    const { doc } = this.view.state
    if (doc !== this.written.doc) this.written = { doc, text: doc.eq(this.stored) ? this.text : textOf(doc) }
    return this.written.text
  }
}

/** Browsers open no link in a text that is edited. */
function openLink({ ctrlKey, metaKey, target }: MouseEvent): boolean {
  const link = (ctrlKey || metaKey) && target instanceof Element ? target.closest('a') : null
  if (link === null) return false
  open(link.href, '_blank', 'noopener,noreferrer')
  return true
}

/** A box of a list of tasks. */
function tick(view: EditorView, pos: number): boolean {
  const ticked = tickAt(view.state, pos)
  if (ticked !== null) view.dispatch(ticked)
  return ticked !== null
}

function textOf(doc: Node): string {
  const document = richOf(doc)
  return isEmptyDocument(document) ? '' : JSON.stringify(document)
}

/** The browser's own data would be markup, which the console never parses. */
function copy(view: EditorView, event: ClipboardEvent): boolean {
  const { selection } = view.state
  if (selection.empty || event.clipboardData === null) return false
  const slice = selection.content()
  const { dom, text } = view.serializeForClipboard(slice)
  event.preventDefault()
  event.clipboardData.setData('text/plain', text)
  event.clipboardData.setData('text/html', dom.innerHTML)
  event.clipboardData.setData(clipboardType, JSON.stringify(slice))
  if (event.type === 'cut') view.dispatch(view.state.tr.deleteSelection().scrollIntoView())
  return true
}

/** Content of other programs becomes plain text. */
function paste(view: EditorView, event: ClipboardEvent): boolean {
  event.preventDefault()
  const slice = sliceOf(event.clipboardData?.getData(clipboardType) ?? '')
  if (slice === null) view.pasteText(storable(event.clipboardData?.getData('text/plain') ?? ''), event)
  else view.dispatch(view.state.tr.replaceSelection(slice).scrollIntoView())
  return true
}

/** Without the character 0 and unpaired surrogates, which PostgreSQL rejects, and without a line break at the end, which would add a paragraph. */
const storable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/\r?\n$/, '')

/** null: it is none. Any page can write to the clipboard. */
function sliceOf(json: string): Slice | null {
  try {
    const slice = Slice.fromJSON(richSchema, JSON.parse(json))
    slice.content.forEach((node) => {
      node.check()
    })
    return slice
  } catch {
    return null
  }
}

/** What comes from outside of the text is not taken: its markup would be parsed. */
function drop(view: EditorView, event: DragEvent): boolean {
  if (view.dragging !== null) return false
  event.preventDefault()
  return true
}
