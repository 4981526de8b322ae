import { mapValues, type Sql } from '../../kernel/sql.ts'
import { type Caller, Param, type ValueSource } from '../plan/value-source.ts'

/** Replaces the parameters of a rule's condition by values, for statements that are not prepared. */
export function bindParams<T>(condition: Sql<T>, caller: Caller): Sql<T> {
  return mapValues(condition, (value) =>
    value instanceof Param ? valuesOfRule(value.source, caller)[value.index] : value,
  )
}

/** The values of a rule's parameter. They were read when the rule was planned, so reading them again does not fail. */
export function valuesOfRule(source: ValueSource, caller: Caller): readonly unknown[] {
  if (source.of !== 'caller') throw new Error('a condition of a rule has a parameter that only a request fills')
  const read = source.read(caller)
  if (!read.ok) throw new Error(`a parameter of a rule has no value: ${JSON.stringify(read.error)}`)
  return read.value
}
