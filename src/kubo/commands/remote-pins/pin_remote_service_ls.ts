// `pin/remote/service/ls`: the pinning services of the account; with `stat`, the number of pins of each. Keys are not shown.
// Tested by test/files/remote-pins.test.ts
import { type CommandCall, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import type { PinRemote } from '../../remote-pins/pin-remotes.ts'
import type { RemotePinDeps } from '../../remote-pins/remote-command.ts'

type PinCount = {
  readonly Queued: number
  readonly Pinning: number
  readonly Pinned: number
  readonly Failed: number
}

type Listed = {
  readonly Service: string
  readonly ApiEndpoint: string
  readonly Stat?: { readonly Status: 'valid' | 'invalid'; readonly PinCount?: PinCount }
}

const declared = { stat: flag('stat') }

export function createPinRemotesLs({
  remotes,
  client,
}: RemotePinDeps): KuboCommand<{ readonly stat: boolean }> {
  async function statOf(remote: PinRemote, signal: AbortSignal): Promise<Listed['Stat']> {
    try {
      const [Queued, Pinning, Pinned, Failed] = await Promise.all([
        client.count(remote, 'queued', signal),
        client.count(remote, 'pinning', signal),
        client.count(remote, 'pinned', signal),
        client.count(remote, 'failed', signal),
      ])
      return { Status: 'valid', PinCount: { Queued, Pinning, Pinned, Failed } }
    } catch {
      // As in Kubo: `pin/remote/ls` reports the reason.
      signal.throwIfAborted()
      return { Status: 'invalid' }
    }
  }

  async function list(stat: boolean, { caller, signal }: CommandCall): Promise<readonly Listed[]> {
    const listed: Listed[] = []
    for (const remote of await remotes.list(caller.accountId)) {
      const { name, endpoint } = remote
      const found = stat ? { Stat: await statOf(remote, signal) } : {}
      listed.push({ Service: name, ApiEndpoint: endpoint, ...found } as Listed)
    }
    return listed
  }

  return {
    name: 'pin/remote/service/ls',
    class: 'read',
    argument: null,
    body: 'none',
    options: Object.values(declared),
    parse: ({ options }) => ({ stat: valueOf(options, declared.stat) }),
    async run({ stat }, call) {
      return { kind: 'object', value: { RemoteServices: await list(stat, call) }, text: asText }
    },
  }
}

function asText(value: unknown): string {
  const { RemoteServices: listed } = value as { readonly RemoteServices: readonly Listed[] }
  return listed
    .map(({ Service, ApiEndpoint, Stat }) => {
      const stat = Stat === undefined ? [] : [countsOf(Stat)]
      return `${[Service, ApiEndpoint, ...stat].join(' ')}\n`
    })
    .join('')
}

function countsOf({ Status, PinCount: counts }: NonNullable<Listed['Stat']>): string {
  if (counts === undefined) return Status
  return `${counts.Queued}/${counts.Pinning}/${counts.Pinned}/${counts.Failed}`
}
