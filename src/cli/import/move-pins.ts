// Copies pins, several in parallel. It skips existing pins, and retries a failed pin a few times before it reports it.
// An interrupted run can be repeated.
// Tested by test/cli/import-pins.test.ts
import type { Clock } from '../../base/clock.ts'
import { Refused } from './api-reply.ts'
import { pinKey, type WantedPin } from './pin-list.ts'
import type { PinOrigin } from './pin-origin.ts'
import { type PinTarget, TargetSilent } from './pin-target.ts'
import { tryUntilDone } from './try-until-done.ts'

type FailedPin = { readonly pin: WantedPin; readonly reason: string }

export type MovedPins = {
  readonly pinned: number
  /** Pins that existed before. */
  readonly present: number
  readonly failed: readonly FailedPin[]
  /** Pins not tried or not completed, because the run stopped early. */
  readonly left: readonly WantedPin[]
  /** Why the run stopped early; null: it did not. */
  readonly ended: string | null
}

/** `origin` null: the server has the content, or fetches it from its own sources. */
export async function movePins(
  wanted: readonly WantedPin[],
  parts: {
    readonly target: PinTarget
    readonly origin: PinOrigin | null
    readonly atOnce: number
    readonly clock: Clock
    readonly progress: (done: number) => void
  },
  signal: AbortSignal,
): Promise<MovedPins> {
  const { target, origin, atOnce, clock, progress } = parts
  const existingPins = new Map(
    (await target.pinned(signal)).map((pin) => [pinKey(pin.cid, pin.mode), pin.name]),
  )
  const missing = wanted.filter((pin) => !isPinned(pin, existingPins))
  const present = wanted.length - missing.length
  const failed: FailedPin[] = []
  const done = new Set<WantedPin>()
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  let ended: string | null = null
  let pinned = 0
  let next = 0
  progress(present)

  async function lane(): Promise<void> {
    for (let pin = missing[next++]; pin !== undefined; pin = missing[next++]) {
      if (until.aborted) return
      try {
        await tryUntilDone(
          () => move(pin),
          { clock, isBroken: (thrown) => thrown instanceof TargetSilent },
          until,
        )
        pinned += 1
      } catch (thrown) {
        if (until.aborted) return
        if (thrown instanceof TargetSilent) {
          ended = `no reply from the server: ${thrown.message}`
          stop.abort()
          return
        }
        failed.push({ pin, reason: reasonOf(thrown) })
      }
      done.add(pin)
      progress(present + done.size)
    }
  }

  async function move(pin: WantedPin): Promise<void> {
    if (origin !== null) {
      try {
        // Try without a transfer first: often the server has all blocks, from an earlier run or below another pin.
        await target.pin(pin, true, until)
        return
      } catch (thrown) {
        if (!(thrown instanceof Refused) || !/could not find/.test(thrown.message)) throw thrown
      }
      await target.keepCar(await origin.car(pin, until), until)
    }
    await target.pin(pin, origin !== null, until)
  }

  await Promise.all(Array.from({ length: atOnce }, lane))
  if (signal.aborted) ended ??= 'interrupted'
  const left = missing.filter((pin) => !done.has(pin))
  return { pinned, present, failed, left, ended }
}

function isPinned(pin: WantedPin, existingPins: ReadonlyMap<string, string>): boolean {
  const modes = pin.mode === 'direct' ? (['direct', 'recursive'] as const) : ([pin.mode] as const)
  return modes.some((mode) => {
    const name = existingPins.get(pinKey(pin.cid, mode))
    return name !== undefined && (pin.name === '' || pin.name === name)
  })
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
