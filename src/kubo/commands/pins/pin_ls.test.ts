import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CID } from 'multiformats/cid'
import { importProfiles } from '../../../codec/ipld/import-profile.ts'
import type { CommandCall } from '../../kubo-command.ts'
import { never } from '../../../../test/fakes/files/files-fixture.ts'
import { pinLs } from './pin_ls.ts'

const cid = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')

/** Lists that many pins, each printed as a different text. */
async function list(pins: number, options: ReadonlyMap<string, boolean>): Promise<unknown> {
  let printed = 0
  const print = (): string => `${(printed += 1)}`
  const input = {
    ...pinLs.parse(
      { args: [], options, entries: null, host: '' },
      importProfiles['unixfs-v0-2015'],
    ),
    type: 'recursive',
    print,
  }
  const files = {
    async *pins() {
      for (let count = 0; count < pins; count += 1) yield { cid, mode: 'recursive', name: '' }
    },
  }
  const call = { files, caller: { accountId: 'alice' }, signal: never }
  const reply = await pinLs.run(input, call as unknown as CommandCall)
  let count = 0
  if (reply.kind === 'keyed') for (const _ of reply.entries) count += 1
  if (reply.kind === 'events') for await (const _ of reply.lines) count += 1
  return count
}

test('one object holds a quarter of a million pins and no more, a stream any number', async () => {
  await assert.rejects(list(250_001, new Map()), {
    code: 'command_failed',
    message: 'more than 250000 pins: request them with stream=true',
  })
  assert.equal(await list(250_001, new Map([['stream', true]])), 250_001)
})
