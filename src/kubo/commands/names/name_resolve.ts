// `name/resolve`: the path that an IPNS name or a DNS name resolves to.
// Tested by src/kubo/commands/names/names.test.ts
import { Fault } from '../../../base/fault.ts'
import { parseNamePath } from '../../../ipfs/read/path.ts'
import {
  type KuboCommand,
  type OptionValues,
  failed,
  flag,
  integer,
  text,
  valueOf,
} from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'
import { type NameCommandDeps, durationOf, keystoreOf } from '../../params/ipns-options.ts'

type ResolveInput = {
  /** Null: the account's own name. */
  readonly path: string | null
  readonly recursive: boolean
  readonly fresh: boolean
  readonly stream: boolean
  readonly offline: boolean
  readonly timeoutMs: number
}

const declared = {
  recursive: flag('recursive', { alias: 'r', default: true }),
  nocache: flag('nocache', { alias: 'n' }),
  recordCount: integer('dht-record-count', { alias: 'dhtrc', type: 'uint', default: 16n }),
  timeout: text('dht-timeout', { alias: 'dhtt', default: '1m0s' }),
  stream: flag('stream', { alias: 's' }),
}

export function createNameResolve(parts: NameCommandDeps): KuboCommand<ResolveInput> {
  return {
    name: 'name/resolve',
    class: 'read',
    argument: { name: 'name', required: false },
    body: 'none',
    options: Object.values(declared),
    parse({ args: [name], options }) {
      const { offline, timeoutMs } = fetchPolicyOf(options)
      return {
        path: name === undefined ? null : pathOf(name),
        recursive: valueOf(options, declared.recursive),
        fresh: valueOf(options, declared.nocache),
        stream: valueOf(options, declared.stream),
        offline,
        timeoutMs: Math.min(timeoutMs ?? Infinity, timeoutOf(options)),
      }
    },
    async run({ path: given, stream, ...how }, { caller, signal }) {
      const path = given ?? (await selfPath(parts, caller.accountId))
      const terms = { ...how, routers: true }
      const { path: Path } = await parts.names.resolve(path, terms, signal)
      const asText = (line: unknown) => `${(line as { Path: string }).Path}\n`
      if (!stream) return { kind: 'object', value: { Path }, text: asText }
      return { kind: 'events', lines: only({ Path }), live: false, text: asText }
    },
  }
}

/** Milliseconds. As in Kubo, 0 is no limit of its own. Throws `command_failed`. */
function timeoutOf(options: OptionValues): number {
  const timeoutMs = durationOf(options, declared.timeout.name) ?? 0
  if (timeoutMs < 0) throw failed('DHT timeout value must be >= 0')
  return timeoutMs === 0 ? Infinity : timeoutMs
}

async function* only(line: unknown) {
  yield line
}

/** The path of the account's key `self`, which corresponds to the peer ID in Kubo. */
async function selfPath(parts: NameCommandDeps, accountId: string): Promise<string> {
  const [own] = await keystoreOf(parts).list(accountId)
  if (own?.name === 'self') return `/ipns/${own.id.text}`
  throw new Fault('command_failed', { detail: 'could not resolve name' })
}

function pathOf(name: string): string {
  if (parseNamePath(name) !== null) return name
  if (!name.startsWith('/') && parseNamePath(`/ipns/${name}`) !== null) return `/ipns/${name}`
  throw new Fault('command_failed', { detail: `${JSON.stringify(name)} is not an IPNS name` })
}
