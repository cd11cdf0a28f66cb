// The IPFS API commands on files in memory, without HTTP.
import assert from 'node:assert/strict'
import { importProfiles } from '../../../src/codec/ipld/import-profile.ts'
import type { TestContext } from 'node:test'
import {
  defaultAccountSettings,
  defaultKeySettings,
} from '../../../src/access/accounts/key-settings.ts'
import type { CommandReply } from '../../../src/kubo/kubo-command.ts'
import { createKuboCommands } from '../../../src/kubo/commands/index.ts'
import type { KuboNetwork } from '../../../src/kubo/network-command.ts'
import type { UploadEntry } from '../../../src/ipfs/import/upload-entry.ts'
import type { Files } from '../../../src/ipfs/files.ts'
import { noRemotePins } from './no-remote-pins.ts'
import { bytesOf, createFilesFixture, fileEntry, never, streamOf } from './files-fixture.ts'

export type Options = Record<string, boolean | bigint | string>
export const optionMap = (options: Options) => new Map(Object.entries(options))

/** Runs commands by name as `alice` (or another account), with arguments, options and entries. */
export function createFileCommands(
  t: TestContext,
  fixture: Parameters<typeof createFilesFixture>[1] = {},
  network: KuboNetwork | null = null,
) {
  const { files, clock, store, database, ipns } = createFilesFixture(t, fixture)
  const operations = createKuboCommands({
    clock,
    version: '0.1.0',
    publicKey: new Uint8Array(32),
    remotePins: noRemotePins,
    ipns,
    network,
  })
  async function run(
    name: string,
    args: readonly string[] = [],
    options: Options = {},
    entries: readonly UploadEntry[] | null = null,
    side: Files = files,
    accountId = 'alice',
  ): Promise<CommandReply> {
    const operation = operations.get(name)
    assert.ok(operation)
    const stream = entries === null ? null : streamOf(entries)
    const request = { args, options: optionMap(options), entries: stream, host: '127.0.0.1:8545' }
    const input = operation.parse(request, importProfiles['unixfs-v0-2015'])
    const caller = {
      accountId,
      accountName: accountId,
      keyId: 'k',
      hasCard: true,
      settings: defaultKeySettings,
      quotas: defaultAccountSettings,
      withSecret: true,
      allowlists: null,
    }
    return await operation.run(input, { caller, files: side, connected: () => true, signal: never })
  }
  async function lines(...call: Parameters<typeof run>): Promise<unknown[]> {
    const reply = await run(...call)
    assert.equal(reply.kind, 'events')
    return await Array.fromAsync(reply.kind === 'events' ? reply.lines : streamOf([]))
  }
  async function value(...call: Parameters<typeof run>): Promise<unknown> {
    const reply = await run(...call)
    if (reply.kind === 'keyed') {
      const members = Object.fromEntries(reply.entries)
      return Object.keys(members).length === 0 ? {} : { [reply.name]: members }
    }
    return reply.kind === 'object' ? reply.value : reply
  }
  async function add(path: string, content: string, options: Options = {}): Promise<string> {
    const all = await lines('add', [], options, [fileEntry(path, content)])
    return (all.at(-1) as { Hash: string }).Hash
  }
  async function cat(args: readonly string[], options: Options = {}): Promise<[string, bigint]> {
    const reply = await run('cat', args, options)
    assert.ok(reply.kind === 'bytes' && reply.length !== null)
    return [Buffer.concat(await Array.fromAsync(reply.chunks)).toString(), reply.length]
  }
  /** Returns all bytes of a command's stream. */
  async function bytes(...call: Parameters<typeof run>): Promise<Buffer> {
    const reply = await run(...call)
    assert.equal(reply.kind, 'bytes')
    return await bytesOf(reply.kind === 'bytes' ? reply.chunks : streamOf([]))
  }
  return { files, clock, store, database, ipns, run, lines, value, add, cat, bytes }
}
