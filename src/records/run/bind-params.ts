import { type KyselyPlugin, OperationNodeTransformer, type RawBuilder, type ValueNode } from 'kysely'
import { type Caller, Param, type ValueSource } from '../plan/value-source.ts'

/** SQL with values in place of its slots: for conditions of rules that become part of a statement which is not kept. */
export function bindParams<T>(condition: RawBuilder<T>, caller: Caller): RawBuilder<T> {
  return condition.withPlugin(new ParamSource(caller))
}

/** A value of a rule. It was read once already, when the rule was planned, so it can be read. */
export function valuesOfRule(source: ValueSource, caller: Caller): readonly unknown[] {
  if (source.of !== 'caller') throw new Error('a condition of a rule has a slot that only a request fills')
  const read = source.read(caller)
  if (!read.ok) throw new Error(`a slot of a rule could not be filled: ${JSON.stringify(read.error)}`)
  return read.value
}

class ParamSource extends OperationNodeTransformer implements KyselyPlugin {
  readonly #caller: Caller

  constructor(caller: Caller) {
    super()
    this.#caller = caller
  }

  transformQuery({ node }: Parameters<KyselyPlugin['transformQuery']>[0]): ReturnType<KyselyPlugin['transformQuery']> {
    return this.transformNode(node) as ReturnType<KyselyPlugin['transformQuery']>
  }

  transformResult({
    result,
  }: Parameters<KyselyPlugin['transformResult']>[0]): ReturnType<KyselyPlugin['transformResult']> {
    return Promise.resolve(result)
  }

  protected override transformValue(node: ValueNode): ValueNode {
    if (!(node.value instanceof Param)) return node
    return { ...node, value: valuesOfRule(node.value.source, this.#caller)[node.value.index] }
  }
}
