// Reads a request body on demand: first into the blocks that it overwrites, then in chunks for new leaves.
// Tested by test/files/mfs-kubo.test.ts

export type BodyReader = {
  /** Fills `target` from its start, less only at the end of the body. Resolves to the number of bytes. */
  fill(target: Uint8Array): Promise<number>
  /** The next `size` bytes, fewer at the end of the body; null: the body has ended. */
  chunk(size: number): Promise<Uint8Array | null>
  /** Whether the body has ended. */
  done(): Promise<boolean>
}

/** `bytesMax`: maximum number of bytes to read; null: no limit. */
export function createBodyReader(
  body: AsyncIterable<Uint8Array>,
  bytesMax: bigint | null,
): BodyReader {
  const pieces = body[Symbol.asyncIterator]()
  let left = bytesMax
  let buffered: Uint8Array = new Uint8Array()

  /** False: the body has ended. */
  async function more(): Promise<boolean> {
    while (buffered.length === 0) {
      if (left !== null && left <= 0n) return false
      const step = await pieces.next()
      if (step.done === true) return false
      const { value } = step
      buffered =
        left !== null && BigInt(value.length) > left ? value.subarray(0, Number(left)) : value
      if (left !== null) left -= BigInt(buffered.length)
    }
    return true
  }

  async function fill(target: Uint8Array): Promise<number> {
    let at = 0
    while (at < target.length && (await more())) {
      const part = buffered.subarray(0, target.length - at)
      target.set(part, at)
      at += part.length
      buffered = buffered.subarray(part.length)
    }
    return at
  }

  return {
    fill,
    async chunk(size) {
      if (!(await more())) return null
      const target = new Uint8Array(size)
      const filled = await fill(target)
      return filled === size ? target : target.slice(0, filled)
    },
    async done() {
      return !(await more())
    },
  }
}

/** `length` zeros. */
export function createZeros(length: bigint): BodyReader {
  let left = length
  let last: Uint8Array = new Uint8Array()
  const take = (size: number): number => {
    const taken = left < BigInt(size) ? Number(left) : size
    left -= BigInt(taken)
    return taken
  }
  return {
    fill: async (target) => take(target.length),
    async chunk(size) {
      if (left === 0n) return null
      const taken = take(size)
      // Reuses the array, so that its leaf is recognized.
      if (last.length !== taken) last = new Uint8Array(taken)
      return last
    },
    done: async () => left === 0n,
  }
}
