// Each read is written once, as a generator: it takes content from memory and yields a `Fetch` for content that is missing. Two
// drivers run it: `beginRead` without a promise until the first miss, `completeRead` with fetches.
// Tested by src/chain/read.test.ts

/** Fetches content that a read lacks. */
export type Fetch = (signal: AbortSignal) => Promise<unknown>

/** Yields a `Fetch` and is resumed with its result, or with its exception. */
export type Read<T> = Generator<Fetch, T, unknown>

/** A read that was suspended at missing content: `completeRead` resumes it. */
export class SuspendedRead<T> {
  readonly read: Read<T>
  readonly obtain: Fetch
  constructor(read: Read<T>, obtain: Fetch) {
    this.read = read
    this.obtain = obtain
  }
}

/** The step of a read that has to fetch. Returns the result of `obtain`; throws its rejection. */
export function* fetched<T>(obtain: (signal: AbortSignal) => Promise<T>): Read<T> {
  return (yield obtain) as T
}

/** A read of a value that is already known. */
// oxlint-disable-next-line require-yield -- it lacks nothing
export function* resolvedRead<T>(value: T): Read<T> {
  return value
}

/** Runs the read until it has to fetch: returns its result, or the suspended read. Throws what the read throws. */
export function beginRead<T>(read: Read<T>): T | SuspendedRead<T> {
  const step = read.next()
  return step.done === true ? step.value : new SuspendedRead(read, step.value)
}

/** Runs a new or suspended read to its result. Throws what the read throws. */
export async function completeRead<T>(
  read: Read<T> | SuspendedRead<T>,
  signal: AbortSignal,
): Promise<T> {
  let state = read instanceof SuspendedRead ? read : beginRead(read)
  while (state instanceof SuspendedRead) state = await resume(state, signal)
  return state
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
