/**
 * The last result for each object, kept while everything else that it depends on stays the same. For what the same objects come to again
 * and again: what a query means by the same rules, in the same dictionary.
 */
export class LastResults<Key extends object, Value> {
  readonly #known = new WeakMap<Key, { readonly on: readonly unknown[]; readonly value: Value }>()

  /** @param on what else the result depends on, compared by identity. It is kept as long as the key: nothing large that is outdated some day */
  get(key: Key, on: readonly unknown[], make: () => Value): Value {
    const before = this.#known.get(key)
    if (before?.on.every((each, at) => each === on[at]) === true) return before.value
    const value = make()
    this.#known.set(key, { on, value })
    return value
  }
}
