/**
 * Maps the values of a stream in their order, while up to `ahead` of them are worked on at once.
 *
 * @param ahead how many results may be under way beside the one that is waited for; bounds the memory
 */
export async function* mapAhead<From, To>(
  values: AsyncIterable<From>,
  ahead: number,
  map: (value: From) => Promise<To>,
): AsyncGenerator<To> {
  const underWay: Promise<To>[] = []
  try {
    for await (const value of values) {
      const mapped = map(value)
      // Whoever takes it from the queue hears of its failure; until then it is not unheard.
      mapped.catch(() => undefined)
      underWay.push(mapped)
      if (underWay.length > ahead) yield await (underWay.shift() as Promise<To>)
    }
    while (underWay.length > 0) yield await (underWay.shift() as Promise<To>)
  } finally {
    await Promise.allSettled(underWay)
  }
}
