// `stats/bw`: the traffic of connections with peers, once or at an interval; zeros without the IPFS network. The traffic of a key is
// in its usage.
// Tested by src/kubo/commands/network/network-commands.test.ts
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { waitFor } from '../../../base/retry-with-backoff.ts'
import { flag, type KuboCommand, type OptionValues, text, valueOf } from '../../kubo-command.ts'
import type { KuboNetwork } from '../../network-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'
import { durationOf } from '../../params/ipns-options.ts'

const declared = {
  peer: text('peer', { alias: 'p' }),
  proto: text('proto', { alias: 't' }),
  poll: flag('poll'),
  interval: text('interval', { alias: 'i', default: '1s' }),
}

/** Limits of the interval; another one becomes the nearest. */
const intervalMsMin = 100
const intervalMsMax = 3_600_000
const intervalMsDefault = 1000
/** Then the lines end, so that a forgotten client does not hold a request of its key for ever. */
const pollMsMax = 3_600_000

/** `everyMs`: interval of the lines; null: one line. `forMs`: time after which they end. */
type StatsBwInput = { readonly everyMs: number | null; readonly forMs: number }

export function createStatsBw(
  network: KuboNetwork | null,
  clock: Clock,
): KuboCommand<StatsBwInput> {
  return {
    name: 'stats/bw',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse({ options }) {
      refuseShares(options)
      const intervalMs = durationOf(options, declared.interval.name) ?? intervalMsDefault
      const forMs = Math.min(fetchPolicyOf(options).timeoutMs ?? pollMsMax, pollMsMax)
      if (!valueOf(options, declared.poll)) return { everyMs: null, forMs }
      return { everyMs: Math.min(Math.max(intervalMs, intervalMsMin), intervalMsMax), forMs }
    },
    run: async ({ everyMs, forMs }, { signal }) => {
      const read = () => network?.command({ name: 'stats/bw' }, signal) ?? zeros()
      const lines = everyMs === null ? read() : repeat(read, { everyMs, forMs }, clock, signal)
      return { kind: 'events', lines, live: false, endless: everyMs !== null }
    },
  }
}

/** Bytes are counted for all peers and protocols together. Throws `unsupported_option`. */
function refuseShares(options: OptionValues): void {
  const given = [declared.peer, declared.proto].filter(({ name }) => options.has(name))
  const [first, second] = given
  if (second !== undefined) {
    throw new Fault('unsupported_option', { detail: 'please only specify peer OR protocol' })
  }
  if (first === undefined) return
  throw new Fault('unsupported_option', {
    detail: `option "${first.name}" is not supported by this server: it counts the traffic of all peers and protocols together`,
  })
}

/** Until the client leaves or the server stops, for at most `forMs`. */
async function* repeat(
  read: () => AsyncGenerator<unknown>,
  { everyMs, forMs }: { readonly everyMs: number; readonly forMs: number },
  clock: Clock,
  signal: AbortSignal,
) {
  const endsAt = clock.monotonic() + forMs
  for (;;) {
    yield* read()
    if (clock.monotonic() + everyMs > endsAt) return
    await waitFor(everyMs, clock, signal)
  }
}

async function* zeros() {
  yield { TotalIn: 0, TotalOut: 0, RateIn: 0, RateOut: 0 }
}
