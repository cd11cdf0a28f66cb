// Converts a pushed request body to a web stream that buffers at most one mebibyte.
// Tested by test/files/tus.test.ts
import type { RequestBodyStream } from '../../http/request-body-stream.ts'

const aheadBytes = 1024 * 1024

/** `failed`: called with the error that ended the body early. `leave`: discards the rest. */
export function bodyStream(
  body: RequestBodyStream,
  failed: (thrown: unknown) => void,
): { readonly stream: ReadableStream<Uint8Array>; leave(): void } {
  let wake: (more: boolean) => void = () => {}
  let begun = false
  let over = false
  const leave = (): void => {
    over = true
    wake(false)
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        wake(true)
        if (begun) return
        begun = true
        const consume = (chunk: Uint8Array): boolean | Promise<boolean> => {
          if (over) return false
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) > 0) return true
          const { promise, resolve } = Promise.withResolvers<boolean>()
          wake = resolve
          return promise
        }
        body.feed(consume).then(
          () => {
            if (!over) controller.close()
            over = true
          },
          (thrown: unknown) => {
            if (over) return
            over = true
            failed(thrown)
            controller.error(thrown)
          },
        )
      },
      cancel: leave,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: aheadBytes }),
  )
  return { stream, leave }
}
