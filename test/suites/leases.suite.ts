// The guarantees of every Leases (src/base/leases.ts). The test file of an implementation calls `leasesSuite` with a function
// that opens `count` processes of one service.
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { pause, systemClock } from '../../src/base/clock.ts'
import { type ActiveLease, holdWhile, type Leases } from '../../src/base/leases.ts'

export type LeasesFixture = {
  readonly processes: readonly Leases[]
  close(): Promise<void>
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((end) => {
    signal.addEventListener('abort', () => end(), { once: true })
    if (signal.aborted) end()
  })
}

export type HeldLease = { readonly held: Promise<ActiveLease>; stop(): Promise<void> }

/** `held` resolves with the first lease, which is held until it ends. */
export function acquireLease(leases: Leases, name: string): HeldLease {
  const { promise: held, resolve } = Promise.withResolvers<ActiveLease>()
  const stop = leases.hold(name, async (lease) => {
    resolve(lease)
    await aborted(lease.signal)
  })
  return { held, stop }
}

export function leasesSuite(
  name: string,
  create: (t: TestContext, count: number) => Promise<LeasesFixture>,
  { isShared }: { readonly isShared: boolean },
): void {
  const promise = (
    title: string,
    count: number,
    run: (processes: readonly Leases[]) => Promise<void>,
  ): void => {
    test(title, async (t) => {
      const fixture = await create(t, count)
      try {
        await run(fixture.processes)
      } finally {
        await fixture.close()
      }
    })
  }

  suite(name, () => {
    promise('a lease is held until it is stopped', 1, async ([one]) => {
      const { held, stop } = acquireLease(one as Leases, 'a')
      const { signal, token } = await held
      assert.equal(signal.aborted, false)
      assert.ok(token > 0n)
      await stop()
      assert.equal(signal.aborted, true)
    })

    promise('leases with different names are held at the same time', 1, async ([one]) => {
      const first = acquireLease(one as Leases, 'a')
      const second = acquireLease(one as Leases, 'b')
      await Promise.all([first.held, second.held])
      await Promise.all([first.stop(), second.stop()])
    })

    promise('work begins with the lease and is stopped with it', 1, async ([one]) => {
      const steps: string[] = []
      const begun = Promise.withResolvers<void>()
      const stop = holdWhile(one as Leases, 'a', () => {
        steps.push('begin')
        begun.resolve()
        return () => void steps.push('stop')
      })
      await begun.promise
      await stop()
      assert.deepEqual(steps, ['begin', 'stop'])
    })

    if (!isShared) return
    promise(
      'one process at a time holds a lease, and each holder has a higher token',
      3,
      async (processes) => {
        let holders = 0
        let most = 0
        const tokens: bigint[] = []
        const stops = processes.map((leases) =>
          leases.hold('a', async ({ token, signal }) => {
            holders += 1
            most = Math.max(most, holders)
            tokens.push(token)
            if (tokens.length < 6) await pause(30)
            else await aborted(signal)
            holders -= 1
          }),
        )
        const began = systemClock.monotonic()
        while (tokens.length < 6) {
          assert.ok(systemClock.monotonic() - began < 20_000)
          await pause(20)
        }
        await Promise.all(stops.map((stop) => stop()))
        assert.equal(most, 1)
        const rising = tokens.toSorted((a, b) => (a < b ? -1 : 1))
        assert.deepEqual(tokens, rising)
        assert.equal(new Set(tokens).size, tokens.length)
      },
    )

    promise('a process that stops gives its lease to another', 2, async ([one, other]) => {
      const first = acquireLease(one as Leases, 'a')
      const { token } = await first.held
      const second = acquireLease(other as Leases, 'a')
      await first.stop()
      assert.ok((await second.held).token > token)
      await second.stop()
    })
  })
}
