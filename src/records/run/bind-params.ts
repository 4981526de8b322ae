import { type KyselyPlugin, OperationNodeTransformer, type RawBuilder, type ValueNode } from 'kysely'
import { type Caller, Param, type ValueSource } from '../plan/value-source.ts'

/** Replaces the parameters of a rule's condition by values, for statements that are not prepared. */
export function bindParams<T>(condition: RawBuilder<T>, caller: Caller): RawBuilder<T> {
  return condition.withPlugin(new ParamSource(caller))
}

/** The values of a rule's parameter. They were read when the rule was planned, so reading them again does not fail. */
export function valuesOfRule(source: ValueSource, caller: Caller): readonly unknown[] {
  if (source.of !== 'caller') throw new Error('a condition of a rule has a parameter that only a request fills')
  const read = source.read(caller)
  if (!read.ok) throw new Error(`a parameter of a rule has no value: ${JSON.stringify(read.error)}`)
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
