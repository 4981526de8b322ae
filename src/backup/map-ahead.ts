/**
 * Maps the values of a stream in order, with up to `ahead` of them processed at the same time.
 *
 * @param ahead how many results may be in progress besides the awaited one; limits the memory
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
      // A failure is reported when the result is taken from the queue; until then it must not be an unhandled rejection.
      mapped.catch(() => undefined)
      underWay.push(mapped)
      if (underWay.length > ahead) yield await (underWay.shift() as Promise<To>)
    }
    while (underWay.length > 0) yield await (underWay.shift() as Promise<To>)
  } finally {
    await Promise.allSettled(underWay)
  }
}
