// `name/resolve`: the path that an IPNS name or a DNS name resolves to.
// Tested by src/kubo/commands/names/names.test.ts
import { Fault } from '../../../base/fault.ts'
import { parseNamePath } from '../../../ipfs/read/path.ts'
import { type KuboCommand, flag, integer, text, valueOf } from '../../kubo-command.ts'
import { globalOptions } from '../../kubo-commands.ts'
import { type NameCommandDeps, durationOf, keystoreOf } from '../../params/ipns-options.ts'

type ResolveInput = {
  /** Null: the account's own name. */
  readonly path: string | null
  readonly recursive: boolean
  readonly fresh: boolean
  readonly stream: boolean
  readonly offline: boolean
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
      durationOf(options, declared.timeout.name)
      return {
        path: name === undefined ? null : pathOf(name),
        recursive: valueOf(options, declared.recursive),
        fresh: valueOf(options, declared.nocache),
        stream: valueOf(options, declared.stream),
        offline: valueOf(options, globalOptions.offline),
      }
    },
    async run({ path: given, recursive, fresh, stream, offline }, { caller, signal }) {
      const path = given ?? (await selfPath(parts, caller.accountId))
      const terms = { recursive, fresh, offline, routers: true }
      const { path: Path } = await parts.names.resolve(path, terms, signal)
      const asText = (line: unknown) => `${(line as { Path: string }).Path}\n`
      if (!stream) return { kind: 'object', value: { Path }, text: asText }
      return { kind: 'events', lines: only({ Path }), live: false, text: asText }
    },
  }
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
