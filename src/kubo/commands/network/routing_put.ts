// `routing/put`: publishes an IPNS record that the client signed.
// Tested by src/kubo/commands/network/network-commands.test.ts
import { Fault } from '../../../base/fault.ts'
import { firstArgument, type KuboNetwork, networkCommand } from '../../network-command.ts'
import type { CommandRequest, KuboCommand } from '../../kubo-command.ts'
import { readAtMost } from '../../params/file-options.ts'

/** Limit at which peers accept records (IPNS specification, record size limit). */
const recordBytesMax = 10 * 1024

export function createRoutingPut(network: KuboNetwork | null): KuboCommand<CommandRequest> {
  return networkCommand(
    network,
    {
      name: 'routing/put',
      argument: { name: 'key', required: true },
      file: 'value-file',
      options: [],
      body: 'entries',
      changes: true,
    },
    async (request) => ({
      name: 'routing/put',
      arg: firstArgument(request),
      record: Buffer.from(await recordOf(request)).toString('base64'),
    }),
  )
}

async function recordOf({ entries }: CommandRequest): Promise<Uint8Array> {
  for await (const entry of entries ?? []) {
    if (entry.kind !== 'file') break
    const tooBig = `record exceeds ${recordBytesMax} bytes`
    return await readAtMost(entry.content, { bytesMax: recordBytesMax, tooBig })
  }
  throw new Fault('bad_argument', { detail: 'argument "value-file" is required' })
}
