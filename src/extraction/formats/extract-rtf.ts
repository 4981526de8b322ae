import { withLabel } from '../read/list-numbers.ts'
import { type RtfHandler, readRtf } from '../read/read-rtf.ts'
import { createRtfLists } from '../read/rtf-lists.ts'
import { oneLine, rowText } from '../read/table-rows.ts'
import { commentMark } from '../read/word-notes.ts'
import { unreadable } from '../rejection.ts'
import type { TextSink } from '../text-builder.ts'

/**
 * Adds the body of an RTF document: paragraphs, headings, items with their numbers, rows, notes and comments, then each page
 * header and footer once.
 */
export function extractRtf(bytes: Uint8Array, into: TextSink): { readonly title?: string } {
  const page = createRtfText(into)
  if (!readRtf(bytes, page.handler)) throw unreadable('damaged', 'the RTF file ends inside of a group')
  return page.finish()
}

/** Groups without text of the body. So are groups with an asterisk that are not in `visibleOptional`. */
const notText: ReadonlySet<string> = new Set(
  'fonttbl colortbl filetbl revtbl rsidtbl latentstyles themedata colorschememapping datastore pict shprslt nonshppict objdata objclass fldinst xe tc tcn bkmkstart bkmkend generator atnid atndate atnref atntime atnparent atrfstart atrfend mmathPr xmlnstbl userprops wgrffmtfilter sp background template'.split(
    ' ',
  ),
)
const visibleOptional: ReadonlySet<string> = new Set([
  'annotation',
  'atnauthor',
  'shpinst',
  'shptxt',
  'fldrslt',
  'shppict',
  'nesttableprops',
  'ud',
])

const symbols: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['line', '\n'],
  ['lbr', '\n'],
  ['emdash', '—'],
  ['endash', '–'],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['qmspace', ' '],
  ['~', '\u00a0'],
  ['_', '‑'],
  ['\n', '\n'],
  ['\r', '\n'],
])

/** Groups whose text is set aside until they end, by their first control word. */
const asideNames: ReadonlyMap<string, Aside> = new Map<string, Aside>([
  ['footnote', 'note'],
  ['annotation', 'comment'],
  ['atnauthor', 'author'],
  ['shptxt', 'shape'],
  ['listtext', 'list-mark'],
  ['pntext', 'list-mark'],
  ...['header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf'].map(
    (name): [string, Aside] => [name, 'furniture'],
  ),
])

type Aside = 'note' | 'comment' | 'author' | 'shape' | 'furniture' | 'list-mark'
type Place = Aside | 'body' | 'style-name' | 'title' | 'lists' | 'nowhere'

interface GroupState {
  readonly place: Place
  readonly isHidden: boolean
  /** The group has just begun: its first control word determines its type. */
  readonly isNew: boolean
  /** Contains the same text twice: first for old readers, then in a group `ud` in Unicode. */
  readonly isTwofold: boolean
}

/** The properties of a paragraph; `\pard` begins a new one. */
interface Paragraph {
  readonly style: number | undefined
  readonly level: number | undefined
  readonly isItem: boolean
  /** The list that numbers it, and the level; 0: none. */
  readonly list: number
  readonly listLevel: number
  readonly isInTable: boolean
}
const plainParagraph: Paragraph = {
  style: undefined,
  level: undefined,
  isItem: false,
  list: 0,
  listLevel: 0,
  isInTable: false,
}

function createRtfText(into: TextSink): { readonly handler: RtfHandler; finish(): { readonly title?: string } } {
  const groups: GroupState[] = []
  let state: GroupState = { place: 'body', isHidden: false, isNew: false, isTwofold: false }
  let paragraph = plainParagraph
  let body: string[] = []
  const aside = new Map<Place, string>()
  const furniture = new Set<string>()
  const lists = createRtfLists()
  /** The number of the paragraph in the file; undefined: none, so it is counted. */
  let label: string | undefined
  let isCounted = false
  let cellLines: string[] = []
  let author = ''
  let cells: string[] = []
  let isTableBegun = false
  let isHeaderRow = false
  const notes: string[] = []
  const styleLevels = new Map<number, number>()
  let styleNumber = 0
  let styleName = ''
  let title = ''

  const takeText = (): string => {
    const text = body.join('')
    const isItem = paragraph.list > 0 && text.trim() !== '' && !isCounted
    const counted = isItem ? lists.next(paragraph.list, paragraph.listLevel) : ''
    const labelled = withLabel(label ?? counted, text)
    isCounted ||= isItem
    body = []
    label = undefined
    return labelled
  }
  const endParagraph = (): void => {
    isTableBegun = false
    const text = takeText()
    const level = paragraph.level ?? styleLevels.get(paragraph.style ?? -1)
    if (level !== undefined) into.add('heading', oneLine(text), { level })
    else into.add(paragraph.isItem ? 'list-item' : 'paragraph', text)
    for (const one of notes.splice(0)) into.add('note', one)
  }
  const endRow = (): void => {
    const text = rowText(cells)
    into.add('table-row', text, { beginsTable: !isTableBegun, isHeader: isHeaderRow })
    for (const one of notes.splice(0)) into.add('note', one)
    isTableBegun ||= text !== ''
    cells = []
  }
  const beginRow = (): void => {
    isHeaderRow = false
    if (cells.length === 0 && body.length > 0) endParagraph()
  }
  const write = (text: string): void => {
    if (state.place === 'style-name') styleName += text
    else if (state.place === 'title') title += text
    else if (state.place === 'lists') lists.text(text)
    else if (state.isHidden) {
      if (text.trim() !== '') into.flag('hidden-text')
    } else if (state.place === 'body') body.push(text)
    else if (state.place !== 'nowhere') aside.set(state.place, (aside.get(state.place) ?? '') + text)
  }
  const endAside = (place: Place): void => {
    const text = (aside.get(place) ?? '').trim()
    aside.delete(place)
    if (place === 'list-mark') {
      paragraph = { ...paragraph, isItem: true }
      // The bullet of some fonts is the letter o.
      label = /[\p{L}\p{N}]/u.test(text) && text !== 'o' ? text : ''
    } else if (place === 'author') author = text
    else if (text === '') return
    else if (place === 'note') notes.push(text)
    else if (place === 'comment') notes.push(commentMark(author) + text)
    else if (place === 'shape') into.add('paragraph', text)
    else if (place === 'furniture') furniture.add(text)
  }
  const endStyle = (): void => {
    const level = /^heading (\d)/i.exec(styleName.trim())?.[1]
    if (level !== undefined && !styleLevels.has(styleNumber)) styleLevels.set(styleNumber, Number(level))
    styleName = ''
  }
  /** The first control word of a group names its destination. */
  const placeOf = (word: string, isOptional: boolean): Place => {
    if (word === 'title') return 'title'
    if (state.place === 'nowhere' || (state.isTwofold && word !== 'ud')) return 'nowhere'
    if (word === 'stylesheet') return 'style-name'
    if (word === 'listtable' || word === 'listoverridetable') return 'lists'
    const named = asideNames.get(word)
    if (named !== undefined) return named
    const isUnknown = isOptional && !visibleOptional.has(word) && state.place !== 'style-name'
    return word === 'info' || notText.has(word) || isUnknown ? 'nowhere' : state.place
  }
  const enterGroup = (word: string, isOptional: boolean): GroupState => {
    // A title is in `info`, which is not part of the text; the next one overwrites the one for old readers.
    if (word === 'title') title = ''
    return { ...state, isNew: false, place: placeOf(word, isOptional), isTwofold: word === 'upr' }
  }
  const inBody = (word: string, value: number | undefined): void => {
    if (word === 'par' || word === 'sect' || word === 'page') {
      if (cells.length > 0 || paragraph.isInTable) cellLines.push(takeText())
      else endParagraph()
      if (word !== 'page') isCounted = false
    } else if (word === 'cell' || word === 'nestcell') {
      cells.push(oneLine([...cellLines, takeText()].join(' ')))
      cellLines = []
      isCounted = false
    } else if (word === 'row' || word === 'nestrow') endRow()
    else if (word === 'trowd') beginRow()
    else if (word === 'trhdr') isHeaderRow = true
    else if (word === 'pard') paragraph = plainParagraph
    else if (word === 'intbl') paragraph = { ...paragraph, isInTable: true }
    else if (word === 's') paragraph = { ...paragraph, style: value }
    else if (word === 'ls') paragraph = { ...paragraph, isItem: (value ?? 0) > 0, list: value ?? 0 }
    else if (word === 'ilvl') paragraph = { ...paragraph, listLevel: value ?? 0 }
    else if (word === 'outlinelevel' && value !== undefined)
      paragraph = { ...paragraph, level: value < 9 ? value + 1 : undefined }
  }

  const handler: RtfHandler = {
    openGroup() {
      groups.push(state)
      state = { ...state, isNew: true }
    },
    closeGroup() {
      const ended = state
      state = groups.pop() ?? state
      if (ended.place === 'style-name') endStyle()
      else if (ended.place !== state.place && ended.place !== 'lists') endAside(ended.place)
    },
    control(word, value, isOptional) {
      state = state.isNew ? enterGroup(word, isOptional) : state
      if (word === 'v' || word === 'deleted') state = { ...state, isHidden: value !== 0 }
      else if (word === 'plain') state = { ...state, isHidden: false }
      else if (state.place === 'style-name') {
        if (word === 's') styleNumber = value ?? 0
        if (word === 'outlinelevel' && value !== undefined && value < 9) styleLevels.set(styleNumber, value + 1)
      } else if (state.place === 'lists') lists.control(word, value)
      else {
        const symbol = symbols.get(word)
        if (symbol !== undefined) write(symbol)
        else if (state.place === 'body') inBody(word, value)
        else if (word === 'par') write('\n')
      }
    },
    text(text) {
      if (state.isNew) {
        state = { ...state, isNew: false, isTwofold: false, place: state.isTwofold ? 'nowhere' : state.place }
      }
      write(text)
    },
  }
  return {
    handler,
    finish() {
      if (cells.length > 0) endRow()
      endParagraph()
      for (const text of furniture) into.add('note', text)
      return title.trim() === '' ? {} : { title: title.trim() }
    },
  }
}
