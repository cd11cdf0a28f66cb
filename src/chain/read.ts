// Reads are written once, as generators. A read takes what memory holds and yields where something has to be fetched.
// Two drivers run it: `beginRead` goes as far as memory leads, without a promise; `completeRead` fetches what is yielded.
// Tested by src/chain/read.test.ts

/** Fetches what a read lacks. */
export type Fetch = (signal: AbortSignal) => Promise<unknown>

/** Yields a `Fetch` and is resumed with what it resolves to, or with a throw of what it rejects with. */
export type Read<T> = Generator<Fetch, T, unknown>

/** A read that lacks something: `completeRead` goes on from there. */
export class SuspendedRead<T> {
  readonly read: Read<T>
  readonly obtain: Fetch
  constructor(read: Read<T>, obtain: Fetch) {
    this.read = read
    this.obtain = obtain
  }
}

/** The step of a read that has to fetch: what `obtain` resolves to. Throws what it rejects with. */
export function* fetched<T>(obtain: (signal: AbortSignal) => Promise<T>): Read<T> {
  return (yield obtain) as T
}

/** The read of what is known already. */
// oxlint-disable-next-line require-yield -- it lacks nothing
export function* known<T>(value: T): Read<T> {
  return value
}

/** The result if memory holds all it takes. Throws what the read throws. */
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
