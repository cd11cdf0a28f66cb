// Reads are written once, as generators. A read takes content from memory and yields where it has to fetch.
// Two drivers run it: `beginRead` runs without a promise until the first miss; `completeRead` fetches what is yielded.
// Tested by src/chain/read.test.ts

/** Fetches what a read lacks. */
export type Fetch = (signal: AbortSignal) => Promise<unknown>

/** Yields a `Fetch` and is resumed with its result, or with its exception. */
export type Read<T> = Generator<Fetch, T, unknown>

/** A read that lacks something: `completeRead` continues from there. */
export class SuspendedRead<T> {
  readonly read: Read<T>
  readonly obtain: Fetch
  constructor(read: Read<T>, obtain: Fetch) {
    this.read = read
    this.obtain = obtain
  }
}

/** The step of a read that has to fetch: the result of `obtain`. Throws what it rejects with. */
export function* fetched<T>(obtain: (signal: AbortSignal) => Promise<T>): Read<T> {
  return (yield obtain) as T
}

/** The read of a value that is already known. */
// oxlint-disable-next-line require-yield -- it lacks nothing
export function* known<T>(value: T): Read<T> {
  return value
}

/** The result if memory contains all that the read needs. Throws what the read throws. */
export function beginRead<T>(read: Read<T>): T | SuspendedRead<T> {
  const step = read.next()
  return step.done === true ? step.value : new SuspendedRead(read, step.value)
}

/** The result of a read from its beginning, or from where `beginRead` left it. Throws what the read throws. */
export async function completeRead<T>(
  read: Read<T> | SuspendedRead<T>,
  signal: AbortSignal,
): Promise<T> {
  let begun = read instanceof SuspendedRead ? read : beginRead(read)
  while (begun instanceof SuspendedRead) begun = await resume(begun, signal)
  return begun
}

async function resume<T>(
  { read, obtain }: SuspendedRead<T>,
  signal: AbortSignal,
): Promise<T | SuspendedRead<T>> {
  let value: unknown
  try {
    value = await obtain(signal)
  } catch (error) {
    return stepOf(read, read.throw(error))
  }
  return stepOf(read, read.next(value))
}

function stepOf<T>(read: Read<T>, step: IteratorResult<Fetch, T>): T | SuspendedRead<T> {
  return step.done === true ? step.value : new SuspendedRead(read, step.value)
}
