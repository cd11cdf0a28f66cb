import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { createTestMeters } from '../../test/fakes/files/transfer-meters.ts'
import { createJwtSigner } from '../../test/fakes/people/jwt-signer.ts'
import { openPaths } from '../../test/fakes/files/path-rules.ts'
import { seeded } from '../../test/fakes/seeded.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createAccounts } from '../access/accounts/accounts.ts'
import type { Caller } from '../access/accounts/caller.ts'
import { createDirectory } from '../access/accounts/directory.ts'
import type { AccountSettings, KeySettings } from '../access/accounts/key-settings.ts'
import { createJwtPublicKeys } from '../access/accounts/jwt-public-keys.ts'
import { Fault } from '../base/fault.ts'
import { fromHex } from '../base/hex.ts'
import { silentLog } from '../base/log.ts'
import { importProfiles } from '../codec/ipld/import-profile.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { createSqliteRows } from '../db/sqlite-rows.ts'
import { openDatabase } from '../db/sqlite.ts'
import type { Network } from '../chain/network.ts'
import type { Files } from '../ipfs/files.ts'
import { createLimiter } from '../access/limits/limiter.ts'
import { createPipeline } from '../server/open-gateway.ts'
import { createInspector } from '../pipeline/inspector/inspector.ts'
import { createAnswerCache } from '../rpc/answer-cache.ts'
import type { KuboCommand } from '../kubo/kubo-command.ts'
import type { Operations, RpcOperation } from '../rpc/operation.ts'
import { createDryRun, type DryRunRequest, type DryRunResult } from './dry-run.ts'

const contract = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
const networks = ['dev', 'mainnet'].map((name) => ({ name }) as unknown as Network)
const signal = new AbortController().signal

const rpcOperations: readonly RpcOperation<unknown>[] = [
  {
    name: 'x_read',
    units: 80,
    parse(params) {
      if (typeof params[0] === 'string') return fromHex(params[0])
      throw new Fault('bad_params', { detail: 'missing value for required argument 0' })
    },
    addresses: (input) => [input as Uint8Array],
    run: async () => '0x1',
  },
  { name: 'x_plain', units: 80, parse: () => null, run: async () => '0x1' },
]
const offered: Operations = {
  find: (method) => rpcOperations.find(({ name }) => name === method) ?? null,
}
const command = (name: string, commandClass: 'read' | 'write'): KuboCommand<unknown> => ({
  name,
  class: commandClass,
  argument: null,
  body: 'none',
  options: [],
  parse: () => null,
  run: async () => ({ kind: 'object', value: null }),
})
const commands = new Map([
  ['add', command('add', 'write')],
  ['cat', command('cat', 'read')],
])

type Described = Partial<DryRunRequest> & { readonly method?: string }

/** The dry run and real requests, with the same directory, limiter and meters. */
async function createRig(
  settings: Partial<KeySettings> = {},
  account: Partial<AccountSettings> = {},
) {
  const db = openDatabase(':memory:')
  migrate(db)
  const clock = createManualClock()
  const parts = { rows: createSqliteRows(db, createInlineWriter(db)), clock }
  const accounts = createAccounts(parts)
  const { id: accountId } = await accounts.createAccount('acme', { hasCard: true })
  await accounts.changeAccountSettings('acme', account)
  const made = await accounts.createKey('acme', { settings })
  const keyId = made.apiKey.id
  const directory = createDirectory({ db, clock, log: silentLog })
  const limiter = createLimiter({ clock, unitsToday: () => 0 })
  const moved = { up: 0, down: 0 }
  const transferMeters = createTestMeters({
    clock,
    transferred: () => moved,
    storedBytes: () => 1_000,
  })
  const counted: number[] = []
  const shared = {
    networks: () => networks,
    operationsOf: () => offered,
    transferMeters,
  }
  const trial = createDryRun({
    ...shared,
    cardGate: () => ({}),
    enterAs: directory.enterAs,
    commandClassOf: (name) => commands.get(name)?.class ?? null,
    limiter,
  })
  const gateway = createPipeline({
    ...shared,
    cardGate: {},
    files: {} as Files,
    authenticate: (key, secret, address, jwt) =>
      jwt === undefined
        ? directory.authenticate(key, secret, address)
        : directory.authenticateJwt(key, jwt, address),
    admitUnits: limiter.admitUnits,
    refundUnits: limiter.refundUnits,
    chargeUnits: limiter.chargeUnits,
    admitFiles: limiter.admitFiles,
    importProfileOf: () => importProfiles['unixfs-v0-2015'],
    paths: openPaths,
    publicFiles: {} as Files,
    count: ({ units }) => void counted.push(units),
    countBytes: () => {},
    resolveBlock: () => {
      throw new Fault('unknown_block')
    },
    answerCache: createAnswerCache({ bytesMax: 1_000 }),
    eventsOf: () => ({ join: () => () => {} }),
    inspector: createInspector({ settingsOf: () => null, clock }),
    clock,
    log: silentLog,
  })

  const describe = (of: Described): DryRunRequest =>
    ({
      accountId,
      keyId,
      secret: false,
      face: 'rpc',
      network: null,
      method: 'x_plain',
      address: '192.0.2.1',
      ...of,
    }) as DryRunRequest

  /** The result of a real request: `ok`, or code and reason of the refusal. */
  async function dryRun(of: Described): Promise<string> {
    const request = describe(of)
    const { origin, userAgent, jwt, address = '' } = request
    const credential = {
      key: made.key,
      secret: request.secret ? made.secret : null,
      ...(jwt === undefined ? {} : { jwt }),
      address,
      origin,
      userAgent,
    }
    try {
      if (request.face === 'files') {
        const caller = await gateway.authenticateFiles(credential, request.method)
        const operation = commands.get(request.method)
        if (operation === undefined) throw new Fault('no_command')
        await runFiles(caller, operation, request.bodyBytes)
        return 'ok'
      }
      const network = gateway.networkFor(request.network, null)
      const caller = await gateway.authenticateRpc(credential, network)
      const items = [{ method: request.method, params: request.params ?? [] }]
      const visit = { caller, network, items, batch: false, exchange: { signal } }
      const [outcome] = (await gateway.runRpc(visit)).outcomes
      if (outcome !== undefined && 'fault' in outcome) throw outcome.fault
      return 'ok'
    } catch (thrown) {
      return codeOf(thrown)
    }
  }

  async function runFiles(caller: Caller, operation: KuboCommand<unknown>, bytes?: number) {
    const upload = { declaredBytes: bytes ?? null, bytes: 0, onChunk: () => {} }
    const { settle } = await gateway.runFiles({
      caller,
      operation,
      request: {
        args: [],
        options: new Map(),
        entries: bytes === undefined ? null : none(),
        host: '',
      },
      ...(bytes === undefined ? {} : { upload }),
      connected: () => true,
      signal,
    })
    settle(null, { in: 0, out: 0 })
  }

  const tried = (of: Described): Promise<DryRunResult> => trial(describe(of))
  const publicKeys = createJwtPublicKeys(parts)
  return { accounts, dryRun, clock, counted, keyId, limiter, moved, publicKeys, tried }
}

// oxlint-disable-next-line require-yield -- an empty upload
async function* none() {}

function codeOf(thrown: unknown): string {
  const { code, message, data } = Fault.from(thrown)
  const reason = typeof data === 'object' ? data['reason'] : undefined
  return `${code} ${typeof reason === 'string' ? reason : message}`
}

/** Each case: settings of key and account, a request, and the rule that refuses it (null: it passes). */
const cases: readonly (readonly [
  what: string,
  settings: Partial<KeySettings>,
  request: Described,
  rule: string | null,
  account?: Partial<AccountSettings>,
])[] = [
  ['an open key', {}, {}, null],
  ['another network', {}, { network: 'mainnet' } as Described, null],
  ['a network that is not served', {}, { network: 'sepolia' } as Described, 'networks of server'],
  [
    'a network switched off',
    { networks: ['dev'] },
    { network: 'mainnet' } as Described,
    'networks of key',
  ],
  ['no secret', { secretRequired: true }, {}, 'secretRequired of key'],
  ['with the secret', { secretRequired: true }, { secret: true }, null],
  ['no token', { jwtRequired: true }, { secret: true }, 'jwtRequired of key'],
  ['what is no token', {}, { jwt: 'a.b.c' }, 'jwt of request'],
  ['another address', { allowIps: ['198.51.100.0/24'] }, {}, 'allowIps of key'],
  ['an address of the list', { allowIps: ['192.0.2.0/24'] }, {}, null],
  ['no origin', { allowOrigins: ['a.example'] }, {}, 'allowOrigins of key'],
  ['an origin of the list', { allowOrigins: ['a.example'] }, { origin: 'https://a.example' }, null],
  [
    'another browser',
    { allowUserAgents: ['App'] },
    { userAgent: 'curl' },
    'allowUserAgents of key',
  ],
  ['another method', { allowMethods: ['x_read'] }, {}, 'allowMethods of key'],
  [
    'lists, and the secret that lifts them',
    { allowMethods: ['x_read'], overrideWithSecret: true },
    { secret: true },
    null,
  ],
  [
    'another contract',
    { allowAddresses: [contract] },
    { method: 'x_read', params: [`0x${'11'.repeat(20)}`] },
    'allowAddresses of key',
  ],
  [
    'a contract of the list',
    { allowAddresses: [contract] },
    { method: 'x_read', params: [contract] },
    null,
  ],
  ['params that are wrong', {}, { method: 'x_read', params: [] }, 'no rule'],
  ['no such method', {}, { method: 'x_none' }, 'no rule'],
  [
    'no such method, and no units for the refusal',
    { unitsPerDay: 4 },
    { method: 'x_none' },
    'unitsPerDay of key',
  ],
  ['a rate of 0', { unitsPerSecond: 0 }, {}, 'unitsPerSecond of key'],
  ['a day of too little', { unitsPerDay: 79 }, {}, 'unitsPerDay of key'],
  ['files', {}, { face: 'files', method: 'cat', secret: true }, null],
  ['files without a secret', {}, { face: 'files', method: 'cat' }, 'secret of request'],
  ['no such command', {}, { face: 'files', method: 'mount', secret: true }, 'no rule'],
  [
    'files switched off',
    { files: false },
    { face: 'files', method: 'cat', secret: true },
    'files of key',
  ],
  [
    'a rate of no writes',
    { filesWritesPerSecond: 0 },
    { face: 'files', method: 'add', secret: true },
    'filesWritesPerSecond of key',
  ],
  [
    'and of no reads',
    { filesReadsPerSecond: 0 },
    { face: 'files', method: 'cat', secret: true },
    'filesReadsPerSecond of key',
  ],
  [
    'another command',
    { allowMethods: ['pin/ls'] },
    { face: 'files', method: 'add', secret: true },
    'allowMethods of key',
  ],
  [
    'a body that is too long',
    { filesBodyBytes: 5 },
    { face: 'files', method: 'add', secret: true, bodyBytes: 6 } as Described,
    'filesBodyBytes of key',
  ],
  [
    'a month that is used up',
    { filesUploadBytesPerMonth: 5 },
    { face: 'files', method: 'add', secret: true, bodyBytes: 6 } as Described,
    'filesUploadBytesPerMonth of key',
  ],
  [
    'and that of the account',
    {},
    { face: 'files', method: 'add', secret: true, bodyBytes: 6 } as Described,
    'filesUploadBytesPerMonth of account',
    { filesUploadBytesPerMonth: 5 },
  ],
  [
    'no room for the key',
    { filesStoredBytes: 5 },
    { face: 'files', method: 'add', secret: true, bodyBytes: 6 } as Described,
    'filesStoredBytes of key',
  ],
  [
    'no room in the account',
    {},
    { face: 'files', method: 'add', secret: true, bodyBytes: 100_000 } as Described,
    'filesStoredBytes of account',
    { filesStoredBytes: 5 },
  ],
  [
    'no uploads at a time',
    { filesUploads: 0 },
    { face: 'files', method: 'add', secret: true, bodyBytes: 200_000 } as Described,
    'filesUploads of key',
  ],
]

for (const [what, settings, request, rule, account] of cases) {
  test(`a request is tried as it would be answered: ${what}`, async () => {
    const { dryRun, tried } = await createRig(settings, account)
    const verdict = await tried(request)
    const { refusal } = verdict
    const shown =
      refusal === null
        ? null
        : refusal.rule === null
          ? 'no rule'
          : `${refusal.rule.setting} of ${refusal.rule.of}`
    assert.equal(shown, rule, refusal?.message)
    const answered = await dryRun(request)
    assert.equal(answered.split(' ')[0], refusal?.code ?? 'ok', answered)
  })
}

test('a dry run gives the same result as the request, for any settings and requests', async (t) => {
  const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(1_000_000))
  t.diagnostic(`CAIRN_SEED=${seed}`)
  const chance = seeded(seed)
  const pick = <T>(of: readonly T[]): T => of[chance(of.length)] as T
  const { accounts, dryRun, clock, keyId, publicKeys, tried } = await createRig()
  const signer = createJwtSigner('ES256', clock.now)
  const { id } = await publicKeys.add(keyId, { text: signer.publicKey })
  const exp = Math.floor(clock.now() / 1000) + 1_000_000
  const tokens = [
    undefined,
    undefined,
    undefined,
    'a.b.c',
    await signer.sign(id, { exp }),
    await signer.sign(id, { exp, methods: ['x_read'], addresses: [contract] }),
    await signer.sign(id, { exp, origins: ['a.example'] }),
    await signer.sign(id, { exp, aud: 'else' }),
  ]
  const other = `0x${'11'.repeat(20)}`
  const seen = new Set<string>()
  for (let n = 0; n < 400; n++) {
    await accounts.changeKey(keyId, {
      settings: {
        secretRequired: pick([false, false, true]),
        jwtRequired: pick([false, false, false, true]),
        networks: pick([null, null, ['dev'], []]),
        files: pick([true, true, true, false]),
        unitsPerSecond: pick([null, null, 0, 1, 200]),
        unitsPerDay: pick([null, null, 0, 100_000]),
        filesReadsPerSecond: pick([null, null, 0, 1]),
        filesWritesPerSecond: pick([null, null, 0, 1]),
        filesBodyBytes: pick([null, null, 500]),
        filesStoredBytes: pick([null, null, 100, 100_000]),
        filesUploads: pick([null, null, 0, 1]),
        allowIps: pick([[], [], ['192.0.2.0/24'], ['198.51.100.1']]),
        allowOrigins: pick([[], [], ['a.example']]),
        allowUserAgents: pick([[], [], ['App']]),
        allowMethods: pick([[], [], ['x_read', 'add'], ['x_plain', 'cat']]),
        allowAddresses: pick([[], [], [contract]]),
        overrideWithSecret: pick([false, true]),
      },
    })
    await accounts.setCard('acme', pick([true, true, true, false]))
    clock.advance(1_000)
    const request = {
      secret: pick([false, true]),
      jwt: pick(tokens),
      origin: pick([undefined, 'https://a.example', 'https://b.example']),
      userAgent: pick([undefined, 'App/1', 'curl']),
      address: pick(['192.0.2.1', '198.51.100.1', '::1']),
      ...pick<object>([
        { method: 'x_plain' },
        { method: 'x_read', params: [pick([contract, other])], network: pick([null, 'mainnet']) },
        { method: 'x_read', params: [] },
        { method: 'x_none', network: pick([null, 'sepolia']) },
        { face: 'files', method: 'cat' },
        { face: 'files', method: 'add', bodyBytes: pick([10, 1_000, 200_000]) },
        { face: 'files', method: 'mount' },
      ]),
    } as Described
    const { refusal } = await tried(request)
    const answered = (await dryRun(request)).split(' ')[0] ?? ''
    assert.equal(refusal?.code ?? 'ok', answered, JSON.stringify(request))
    seen.add(answered)
  }
  assert.ok(seen.size >= 8, [...seen].join())
})

test('a dry run charges no units and counts no usage', async () => {
  const { dryRun, clock, counted, tried } = await createRig({
    unitsPerSecond: 80,
    unitsPerDay: 8_080,
  })
  const before = await tried({})
  for (let n = 0; n < 1_000; n++) await tried({})
  assert.deepEqual(await tried({}), before)
  assert.deepEqual(before.left, {
    atOnce: 8_001,
    today: 8_080,
    resetsAt: Date.UTC(2026, 0, 2),
  })
  assert.deepEqual([before.units, before.refusal, counted], [80, null, []])
  for (let n = 0; n < 100; n++) assert.equal(await dryRun({}), 'ok')
  const over = await tried({})
  assert.deepEqual(over.refusal?.rule, { setting: 'unitsPerSecond', of: 'key' })
  assert.equal(over.refusal?.waitSeconds, 1)
  assert.equal(over.refusal?.status, 429)
  assert.deepEqual(over.left, { atOnce: 1, today: 80, resetsAt: Date.UTC(2026, 0, 2) })
  clock.advance(1_000)
  assert.equal((await tried({})).refusal, null)
  assert.equal(await dryRun({}), 'ok')
  clock.advance(1_000)
  const day = (await tried({})).refusal
  assert.deepEqual([day?.rule?.setting, day?.waitSeconds, day?.status], ['unitsPerDay', null, 402])
})

test('uploads that are tried hold no place among those at a time', async () => {
  const { dryRun, tried } = await createRig({ filesUploads: 1 })
  const upload = { face: 'files', method: 'add', secret: true, bodyBytes: 200_000 } as Described
  for (let n = 0; n < 3; n++) assert.equal((await tried(upload)).refusal, null)
  assert.equal(await dryRun(upload), 'ok')
})

test('accounts replace params; lists without a value to compare are named and not checked', async () => {
  const lists = { allowAddresses: [contract], allowIps: ['192.0.2.0/24'] }
  const { tried } = await createRig(lists)
  const about = (addresses: string[]) =>
    tried({ method: 'x_read', addresses: addresses.map(fromHex) })
  assert.equal((await about([contract])).refusal, null)
  const both = await about([contract, `0x${'11'.repeat(20)}`])
  assert.deepEqual(both.refusal?.rule, { setting: 'allowAddresses', of: 'key' })
  assert.equal((await about([])).refusal?.code, 'refused_by_setting')
  const bare = await tried({ method: 'x_read', address: undefined })
  assert.equal(bare.refusal, null)
  assert.deepEqual(bare.unjudged, ['allowIps', 'allowAddresses'])
  assert.deepEqual((await tried({ address: undefined })).unjudged, ['allowIps'])
})

test('a token is tried too, and its own lists are named as its own', async () => {
  const { clock, dryRun, keyId, publicKeys, tried } = await createRig({ allowMethods: ['x_plain'] })
  const signer = createJwtSigner('ES256', clock.now)
  const { id } = await publicKeys.add(keyId, { text: signer.publicKey })
  clock.advance(1_000)
  const jwt = await signer.sign(id, { methods: ['x_read'] })
  const verdict = await tried({ jwt })
  assert.deepEqual(verdict.refusal?.rule, { setting: 'methods', of: 'jwt' })
  assert.equal(await dryRun({ jwt }), 'refused_by_setting method')
  assert.equal((await tried({ jwt, method: 'x_read', params: [contract] })).refusal, null)
  const over = await tried({ jwt: await signer.sign(id, { exp: 1 }) })
  assert.deepEqual(over.refusal?.rule, { setting: 'exp', of: 'jwt' })
  const other = await tried({ jwt: await signer.sign('else') })
  assert.deepEqual(other.refusal?.rule, { setting: 'publicKeys', of: 'key' })
})

test('an expired or revoked key is reported as such; one of another account is absent', async () => {
  const { accounts, clock, keyId, tried } = await createRig()
  await accounts.changeKey(keyId, { expires: clock.now() + 5 })
  clock.advance(5)
  assert.deepEqual((await tried({})).refusal?.rule, { setting: 'expires', of: 'key' })
  await accounts.revokeKey(keyId)
  assert.deepEqual((await tried({})).refusal?.rule, { setting: 'revoked', of: 'key' })
  const foreign = await tried({ accountId: 'another' })
  assert.equal(foreign.refusal?.code, 'bad_key')
  assert.equal(foreign.left, null)
})

test('a card that is missing is the account’s', async () => {
  const { accounts, tried } = await createRig()
  await accounts.setCard('acme', false)
  const { refusal } = await tried({ face: 'files', method: 'cat', secret: true })
  assert.deepEqual(refusal?.rule, { setting: 'card', of: 'account' })
  assert.equal(refusal?.status, 402)
})
