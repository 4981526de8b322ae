import { type KyselyPlugin, OperationNodeTransformer, type RawBuilder, type ValueNode } from 'kysely'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Principal } from '../../identity/principal.ts'
import { type Binding, Slot } from '../plan/record-plan.ts'

/** What the slots of rules are filled from: a rule knows of nothing but the caller and the moment. */
export function bindingOfRules(principal: Principal, catalog: Catalog, nowMs: number): Binding {
  return {
    tests: [],
    writes: new Map(),
    sysId: null,
    limit: 0,
    offset: 0,
    after: [],
    tags: [],
    having: [],
    principal,
    identityEpoch: '0',
    nowMs,
    baseUrl: '',
    catalog,
  }
}

/** SQL with values in place of its slots: for conditions that become part of a statement which is not kept. */
export function fillSlots<T>(condition: RawBuilder<T>, binding: Binding): RawBuilder<T> {
  return condition.withPlugin(new SlotFiller(binding))
}

class SlotFiller extends OperationNodeTransformer implements KyselyPlugin {
  readonly #binding: Binding

  constructor(binding: Binding) {
    super()
    this.#binding = binding
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
    if (!(node.value instanceof Slot)) return node
    const read = node.value.reader(this.#binding)
    // The value of a rule was read once already, when the rule was planned.
    if (!read.ok) throw new Error(`a slot of a rule could not be filled: ${JSON.stringify(read.error)}`)
    return { ...node, value: read.value[node.value.index] }
  }
}
