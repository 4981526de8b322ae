import { type Result, succeed } from '../kernel/result.ts'
import type { ConditionValue, Operand } from './condition-tree.ts'
import { readDateSpan } from './dates/range-of-on.ts'
import { readRelativeDate } from './dates/range-of-relative.ts'
import { readDatePart } from './dates/read-date-part.ts'
import { unexpected } from './dates/read-date-text.ts'
import { type Helper, isHelper, readHelper } from './dates/read-helper.ts'
import type { Operator } from './operators.ts'

/**
 * Types the value of an operator (docs/spec/records.md, section 6). Only this file decides what the text of a value means.
 *
 * @param text the value, escapes resolved
 * @param isLiteral the value is data: a text that begins with `javascript:` is that text
 */
export function typedValue(operator: Operator, text: string, isLiteral: boolean): ConditionValue {
  const operandOf = isLiteral ? literal : typedOperand
  switch (operator) {
    case 'IN':
    case 'NOT IN':
      return { kind: 'list', members: splitList(text, isLiteral).map(operandOf) }
    case 'HAS':
    case 'HASNOT':
      return { kind: 'members', whole: operandOf(text), members: splitList(text, isLiteral).map(operandOf) }
    case 'BETWEEN':
      return orMalformed(splitRange(text), { text, isLiteral }, ([from, to]) => {
        return { kind: 'range', from: operandOf(from), to: operandOf(to) }
      })
    case 'ON':
    case 'NOTON':
      return orMalformed(readDateSpan(text, isLiteral), { text, isLiteral }, (span) => {
        return { kind: 'date-span', text, span }
      })
    case 'RELATIVEGT':
    case 'RELATIVEGE':
    case 'RELATIVELT':
    case 'RELATIVELE':
    case 'RELATIVEEE':
      return orMalformed(readRelativeDate(text), { text, isLiteral }, (date) => {
        return { kind: 'relative-date', text, date }
      })
    case 'DATEPART':
      return orMalformed(readDatePart(text), { text, isLiteral }, (comparison) => ({
        kind: 'date-part',
        text,
        comparison,
      }))
    case 'DYNAMIC':
    case 'CONTAINS_DYNAMIC':
    case 'DOESNOTCONTAIN_DYNAMIC':
    case 'INSTANCEOF':
      return { kind: 'name', name: text }
    case 'ARE':
      return { kind: 'words', text }
    default:
      return operandOf(text)
  }
}

export const NO_VALUE: ConditionValue = { kind: 'none' }

export const literal = (text: string): Operand => ({ kind: 'literal', text })

/** A value outside of queries, such as a default of the dictionary, has the type of a value after `=`. */
export function typedOperand(text: string): Operand {
  return isHelper(text) ? { kind: 'helper', text, call: readHelper(text) } : literal(text)
}

/** The value of a dynamic option: a helper, with or without `javascript:`. */
export function readDynamicOption(text: string): Result<Helper, string> {
  return readHelper(isHelper(text) ? text : `javascript:${text}`)
}

/** The members of a literal that is compared with a list. */
export const splitMembers = (text: string): readonly string[] => splitList(text, true)

function orMalformed<T>(
  read: Result<T, string>,
  { text, isLiteral }: { readonly text: string; readonly isLiteral: boolean },
  toValue: (value: T) => ConditionValue,
): ConditionValue {
  return read.ok ? toValue(read.value) : { kind: 'malformed', text, isLiteral, detail: read.error }
}

/**
 * Split by `@` if there is one, otherwise by `,` (docs/spec/records.md, section 6). Spaces belong to a member. An empty text has no
 * members. A helper is one member, including its commas.
 */
function splitList(text: string, isLiteral: boolean): readonly string[] {
  if (text === '') return []
  if (text.includes('@')) return text.split('@')
  return isHelper(text) && !isLiteral ? [text] : text.split(',')
}

/** `from@to`. */
function splitRange(text: string): Result<readonly [from: string, to: string], string> {
  const [from, to, more] = text.split('@', 3)
  if (from === undefined || to === undefined || from === '' || to === '' || more !== undefined) {
    return unexpected('two values parted by one @, as from@to', text)
  }
  return succeed([from, to])
}
