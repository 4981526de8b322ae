import { type Operator, operandOf, operatorAt } from 'docket-client/parse'
import { endOf, type Link, type LinkPlace, linkAt } from './link-place.ts'

interface Span {
  /** What a completion replaces, as offsets in the text. */
  readonly from: number
  readonly to: number
  /** What is typed of it, up to the cursor. */
  readonly word: string
}

/** A name of a column, or the beginning of its title. */
export interface FieldPlace extends Span {
  readonly kind: 'field'
  /** `other`: the field that another one is compared with. */
  readonly role: 'condition' | 'order' | 'other'
  /** Names before this one. */
  readonly path: readonly string[]
  /** Path of the field that is compared with this one; for `other` only. */
  readonly compared: readonly string[]
  /** A dot follows. */
  readonly goesOn: boolean
  /** The condition has no operator yet. */
  readonly isOpen: boolean
}

export interface OperatorPlace extends Span {
  readonly kind: 'operator'
  readonly path: readonly string[]
  /** The value after it goes from `to` to this offset. */
  readonly valueTo: number
  /** Operators that are longer than what is there; the operator itself is complete. */
  readonly isLonger: boolean
}

export interface ValuePlace extends Span {
  readonly kind: 'value'
  readonly path: readonly string[]
  readonly operator: Operator
  readonly spelling: string
  /** Directly after the operator, whose spelling the value must not make longer. */
  readonly isFirst: boolean
  readonly isInBrackets: boolean
}

/** What joins conditions, and orders. */
export interface JoinPlace extends Span {
  readonly kind: 'join'
  /** It begins with `^`: it is not the beginning of the query. */
  readonly hasCaret: boolean
  readonly isAfterCondition: boolean
  /** Orders are not allowed here. */
  readonly isInside: boolean
  /** An RLQUERY may end here. */
  readonly mayEndCount: boolean
}

type Place = FieldPlace | OperatorPlace | ValuePlace | JoinPlace | LinkPlace

/** `within`: the table of the JOIN or RLQUERY around it, to which names belong; null: the table of the query. */
export type QueryPlace = Place & { readonly within: string | null }

/** What may be completed at an offset of an encoded query, which may have faults after the cursor. */
export const placesAt = (text: string, cursor: number): readonly QueryPlace[] => new PlaceFinder(text, cursor).find()

const NAMES = /[a-z0-9_.]*/y
const WORD_REST = /[\p{L}\p{N}_]*/uy
const CAPITALS = /[A-Z]*/y
const ORDER = /ORDERBYDESC|ORDERBY|GROUPBY/y
const WORDS = /ARE|123TEXTQUERY321(?:=|ARE)/y
const ROWS = /JOIN|RLQUERY/y
const ROWS_END = /\^ENDRLQUERY/y
const JOIN_END = /\^(?:NQ|JOIN|ORJOIN|ORDERBY|GROUPBY|EQ(?=[)^]|$))/y

/** Conditions on rows of another table. */
interface Scope extends Pick<Link, 'kind' | 'table'> {
  /** Brackets that were open before. */
  readonly openBrackets: number
}

/** Follows the grammar of src/condition/parse-encoded-query.ts up to the cursor. */
class PlaceFinder {
  private readonly text: string
  private readonly cursor: number
  private at = 0
  private openBrackets = 0
  private isAfterCondition = false
  private readonly scopes: Scope[] = []

  constructor(text: string, cursor: number) {
    this.text = text
    this.cursor = cursor
  }

  find(): readonly QueryPlace[] {
    for (;;) {
      const found = this.findInTerm()
      if (found !== null) return found.map((place) => ({ ...place, within: this.scopes.at(-1)?.table ?? null }))
      const closedAt = this.at
      while (this.openBrackets > 0 && this.text[this.at] === ')' && this.at < this.cursor) {
        this.openBrackets -= 1
        this.at += 1
        this.leaveScopes(({ openBrackets }) => openBrackets > this.openBrackets)
      }
      if (this.cursor === this.at && this.at > closedAt) return [{ ...this.joinHere(), within: null }]
      if (this.cursor <= this.at || this.text[this.at] !== '^') return []
    }
  }

  /** A condition or an order and what joins it to the one before. null: the cursor is behind it. */
  private findInTerm(): readonly Place[] | null {
    const { text, cursor } = this
    const joinAt = this.at
    const joins = this.joinsFrom(joinAt)
    const rowsTo = endOf(ROWS_END, text, joinAt)
    if (rowsTo > joinAt && this.scopes.some(({ kind }) => kind === 'count'))
      return cursor < rowsTo ? joins : this.endCount(rowsTo)
    this.at += joinUnits(text, joinAt)
    if (cursor < this.at) return joins
    if (endOf(JOIN_END, text, joinAt) > joinAt) this.leaveJoins()
    return this.inBody(joins)
  }

  private leaveScopes(isLeft: (scope: Scope) => boolean): void {
    for (let last = this.scopes.at(-1); last !== undefined && isLeft(last); last = this.scopes.at(-1)) this.scopes.pop()
  }

  private leaveJoins(): void {
    this.leaveScopes(({ kind, openBrackets }) => kind === 'join' && openBrackets === this.openBrackets)
  }

  private endCount(end: number): readonly Place[] | null {
    this.leaveScopes(({ kind }) => kind === 'join')
    this.scopes.pop()
    this.at = end
    this.isAfterCondition = true
    return this.cursor === end ? [this.joinHere()] : null
  }

  /** @param joins what may be put in before it */
  private inBody(joins: readonly JoinPlace[]): readonly Place[] | null {
    const { text, cursor } = this
    while (text[this.at] === '(' && cursor > this.at) {
      this.openBrackets += 1
      this.at += 1
    }
    if (text[this.at] === '(') return []
    const orderTo = endOf(ORDER, text, this.at)
    if (orderTo > this.at) {
      if (cursor < orderTo) return joins
      this.at = orderTo
      return this.inField('order', [])
    }
    const wordsTo = endOf(WORDS, text, this.at)
    if (wordsTo > this.at) return cursor < wordsTo ? [] : this.inWords(wordsTo)
    const rowsTo = endOf(ROWS, text, this.at)
    if (rowsTo > this.at) return cursor < rowsTo ? joins : this.inRows(rowsTo)
    const found = this.inCondition()
    return found === null ? null : [...found, ...joins]
  }

  private joinsFrom(joinAt: number): readonly JoinPlace[] {
    const hasCaret = this.text[joinAt] === '^'
    const from = hasCaret ? joinAt + 1 : joinAt
    const to = endOf(CAPITALS, this.text, from)
    if (this.cursor < from || this.cursor > to || (!hasCaret && joinAt > 0)) return []
    return [this.join({ from: joinAt, to, word: this.text.slice(from, this.cursor) }, hasCaret)]
  }

  private joinHere(): JoinPlace {
    return this.join({ from: this.cursor, to: this.cursor, word: '' }, true)
  }

  private join(span: Span, hasCaret: boolean): JoinPlace {
    const { isAfterCondition, openBrackets, scopes } = this
    const count = scopes.findLast(({ kind }) => kind === 'count')
    return {
      kind: 'join',
      ...span,
      hasCaret,
      isAfterCondition,
      isInside: openBrackets > 0 || count !== undefined,
      mayEndCount: count?.openBrackets === openBrackets,
    }
  }

  private inField(role: FieldPlace['role'], compared: readonly string[]): readonly Place[] | null {
    const from = this.at
    const to = endOf(NAMES, this.text, from)
    this.at = to
    if (this.cursor <= to) return [this.fieldAt(from, to, { role, compared, isOpen: false })]
    const rest = this.restTo(to)
    if (rest === to) return null
    this.at = rest
    return this.cursor <= rest ? [this.titleFrom(from, { role, compared, isOpen: false })] : null
  }

  private inCondition(): readonly Place[] | null {
    const { text, cursor, at: from } = this
    const to = endOf(NAMES, text, from)
    const spelled = operatorAt(text, to)
    const isOpen = spelled?.kind !== 'operator'
    const path = text.slice(from, to).split('.')
    const field = { role: 'condition', compared: [], isOpen } as const
    if (cursor <= to) {
      const found = this.fieldAt(from, to, field)
      if (cursor < to || !isOpen || from === to) return [found]
      return [{ kind: 'operator', path, from: to, to, word: '', valueTo: to, isLonger: false }, found]
    }
    if (isOpen) {
      const rest = this.restTo(to)
      this.at = rest
      if (cursor > rest) return null
      const title = this.titleFrom(from, field)
      const word = text.slice(to, cursor)
      const operator: OperatorPlace = {
        kind: 'operator',
        path,
        from: to,
        to: title.to,
        word,
        valueTo: title.to,
        isLonger: false,
      }
      return from === to ? [title] : [operator, title]
    }
    return this.inOperand({ path, operatorAt: to, operatorTo: to + spelled.spelling.length, ...spelled })
  }

  private inOperand(condition: {
    readonly path: readonly string[]
    readonly operatorAt: number
    readonly operatorTo: number
    readonly operator: Operator
    readonly spelling: string
  }): readonly Place[] | null {
    const { text, cursor } = this
    const { path, operatorTo, operator, spelling } = condition
    const kind = operandOf(operator)
    const valueTo =
      kind === 'none' ? operatorTo : kind === 'field' ? endOf(NAMES, text, operatorTo) : this.valueEnd(operatorTo)
    const here: OperatorPlace = {
      kind: 'operator',
      path,
      from: condition.operatorAt,
      to: operatorTo,
      word: text.slice(condition.operatorAt, cursor),
      valueTo,
      isLonger: cursor === operatorTo,
    }
    if (cursor < operatorTo) return [here]
    const longer = cursor === operatorTo && valueTo === operatorTo ? [here] : []
    if (kind === 'field') {
      this.at = operatorTo
      const found = this.inField('other', path)
      this.isAfterCondition = true
      if (found === null) return null
      return cursor === this.at && this.at > operatorTo ? [...found, this.joinHere()] : [...found, ...longer]
    }
    this.at = valueTo
    this.isAfterCondition = true
    if (cursor > valueTo) return null
    const joins = cursor === valueTo ? [this.joinHere()] : []
    if (kind === 'none') return [...longer, ...joins]
    const value = this.valueAt(operatorTo, valueTo, { path, operator, spelling })
    return [value, ...longer, ...joins]
  }

  private valueAt(
    start: number,
    end: number,
    compared: Pick<ValuePlace, 'path' | 'operator' | 'spelling'>,
  ): ValuePlace {
    const { text, cursor } = this
    const isMarked = text.startsWith("^'", start)
    const first = Math.min(isMarked ? start + 2 : start, cursor)
    const isList = LISTS.has(compared.operator)
    const from = isList ? Math.max(first, text.lastIndexOf(',', cursor - 1) + 1) : first
    const comma = isList ? text.indexOf(',', cursor) : -1
    const to = comma === -1 ? end : Math.min(comma, end)
    return {
      kind: 'value',
      ...compared,
      from,
      to,
      word: text.slice(from, cursor),
      isFirst: from === start,
      isInBrackets: this.openBrackets > 0,
    }
  }

  /** Words to search for in the record. */
  private inWords(start: number): readonly Place[] | null {
    const end = this.valueEnd(start)
    this.at = end
    this.isAfterCondition = true
    if (this.cursor > end) return null
    return this.cursor === end && end > start ? [this.joinHere()] : []
  }

  /** @param at behind the word JOIN or RLQUERY */
  private inRows(at: number): readonly Place[] | null {
    const { text, cursor, openBrackets } = this
    const { places, link } = linkAt(text, at, cursor, text.startsWith('JOIN', this.at) ? 'join' : 'count')
    if (link === null) return places
    const { kind, table, end } = link
    this.at = end
    this.isAfterCondition = true
    const isAtEnd = cursor === end
    const isEmpty = !link.hasConditions || (kind === 'join' && !isAtEnd && ['^', ')', undefined].includes(text[end]))
    if (!isEmpty) this.scopes.push({ kind, table, openBrackets })
    if (isEmpty || kind === 'count') return isAtEnd ? [...places, this.joinHere()] : null
    this.isAfterCondition = false
    return this.inBody([])
  }

  private fieldAt(from: number, to: number, more: Pick<FieldPlace, 'role' | 'compared' | 'isOpen'>): FieldPlace {
    const { text, cursor } = this
    const before = text.slice(from, cursor).split('.')
    const word = before.at(-1) ?? ''
    const dot = text.indexOf('.', cursor)
    const goesOn = dot !== -1 && dot < to
    const nameTo = goesOn ? dot : to
    return { kind: 'field', ...more, path: before.slice(0, -1), word, from: cursor - word.length, to: nameTo, goesOn }
  }

  /** What is typed is no name: it may be the beginning of a title, with capitals and spaces. */
  private titleFrom(from: number, more: Pick<FieldPlace, 'role' | 'compared' | 'isOpen'>): FieldPlace {
    const { text, cursor } = this
    const typed = text.slice(from, cursor)
    const names = /^(?:[a-z0-9_]+\.)*/.exec(typed)?.[0] ?? ''
    return {
      kind: 'field',
      ...more,
      path: names.split('.').slice(0, -1),
      word: typed.slice(names.length),
      from: from + names.length,
      to: endOf(WORD_REST, text, cursor),
      goesOn: false,
    }
  }

  /** Where the next condition begins, whatever is before it. */
  private restTo(from: number): number {
    const found = this.text.slice(from).search(this.openBrackets > 0 ? /[)^]/ : /\^/)
    return found === -1 ? this.text.length : from + found
  }

  /** As the parser reads a value (src/condition/query-reader.ts). */
  private valueEnd(start: number): number {
    const { text } = this
    let at = text.startsWith("^'", start) ? start + 2 : start
    let ownBrackets = 0
    for (; at < text.length; at += 1) {
      const unit = text[at]
      if (unit === '^') {
        if (text[at + 1] === '^') at += 1
        else if (text[at + 1] === '\\') at += 2
        else break
      } else if (this.openBrackets > 0 && unit === '(') ownBrackets += 1
      else if (this.openBrackets > 0 && unit === ')') {
        if (ownBrackets === 0) break
        ownBrackets -= 1
      }
    }
    return Math.min(at, text.length)
  }
}

const LISTS: ReadonlySet<Operator> = new Set(['IN', 'NOT IN', 'HAS', 'HASNOT'])

/** Units of what joins the next condition to the one before. */
function joinUnits(text: string, at: number): number {
  if (text[at] !== '^') return 0
  if (text.startsWith('^NQ', at) || (text.startsWith('^OR', at) && !text.startsWith('^ORDERBY', at))) return 3
  const isEnd = text.startsWith('^EQ', at) && ['^', ')', undefined].includes(text[at + 3])
  return isEnd ? 3 : 1
}
