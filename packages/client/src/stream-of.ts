/**
 * `ReadableStream.from` is missing in some browsers.
 *
 * @param stop ends a read that is under way, because a generator that waits for one returns only afterwards
 */
export function streamOf(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>,
  stop: (reason: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel(reason) {
      stop(reason)
      await chunks.return()
    },
  })
}
