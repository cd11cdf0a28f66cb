// The golden set: each row is one problem with its expected code and fix. Folders, files, databases and sockets are real; the
// test's Machine simulates disks, users and clocks.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startCairn } from '../../../test/started-server.ts'
import { tlsCertificate, tlsKey } from '../../../test/fakes/people/tls-identity.ts'
import { openDatabase } from '../../db/sqlite.ts'
import { defaultGenesis } from '../../devchain/default-genesis.ts'
import { buildFirstBlock } from '../../devchain/first-block.ts'
import { openData, type Data } from '../open-data.ts'
import { runProgram } from '../program.ts'
import { examine } from './diagnosis.ts'
import { thisMachine, type Machine } from './machine.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-doctor-'))
after(() => rmSync(root, { recursive: true }))

const dayMs = 86_400_000

/** A machine without problems. */
const soundMachine: Machine = {
  ...thisMachine(),
  openFilesMax: () => 1_000_000,
  hugePages: () => 'always',
  mayWrite: () => true,
  disk: () => ({ type: 0xef53, freeBytes: 1e12, freeFiles: 1e6 }),
  tryListen: async () => null,
}

type Case = {
  readonly yaml?: string
  readonly env?: Record<string, string>
  readonly machine?: Partial<Machine>
  /** Files of the folder that contains the settings; `data` below it is the data folder. */
  readonly files?: Record<string, string | Uint8Array>
  readonly data?: (data: Data) => Promise<unknown> | void
  readonly folder?: (folder: string) => void
  /** The expected text, or the fix if it starts with `fix`. */
  readonly says?: RegExp
}

let count = 0

/** Three invalid replies of `far/node`, two of them on the second day. */
function recentLies({ db }: Data): void {
  for (const at of [0.5, 1.5, 1.6]) {
    db.run(
      `INSERT INTO lie (time, network, upstream, method, params, response, expected, computed)
       VALUES (?, 'far', 'node', 'eth_getCode', '[]', '"0x"', '0x1', '0x2')`,
      [at * dayMs],
    )
  }
}

async function diagnose(testCase: Case) {
  const folder = join(root, String((count += 1)))
  mkdirSync(folder)
  const context = {
    out: () => {},
    err: () => {},
    readInput: async () => '',
    env: testCase.env ?? {},
  }
  const dataDir = join(folder, 'data')
  for (const [name, text] of Object.entries(testCase.files ?? {})) {
    writeFileSync(join(folder, name), text)
  }
  if (testCase.data !== undefined) {
    await using data = await openData({ ...context, env: {} }, { dataDir }, { make: true })
    await testCase.data(data)
  }
  testCase.folder?.(folder)
  const config = join(folder, 'cairn.yaml')
  if (testCase.yaml !== undefined) {
    writeFileSync(config, testCase.yaml.replaceAll('HERE', folder), { mode: 0o600 })
  }
  const file = testCase.yaml === undefined ? {} : { config }
  const machine = { ...soundMachine, ...testCase.machine }
  return examine(context, { dataDir, ...file }, machine)
}

const setHead = (number: number, header: Uint8Array, hash: Uint8Array) => (data: Data) => {
  data.db.run('INSERT INTO chain_head VALUES (?, ?, ?)', ['dev', number, hash])
  data.db.run('INSERT INTO chain_block VALUES (?, ?, ?)', ['dev', 0, hash])
  data.db.run('INSERT INTO body (id, bytes) VALUES (1, ?)', [header])
  data.db.run("INSERT INTO content VALUES ('header', ?, 1)", [hash])
}
const first = buildFirstBlock(defaultGenesis)
const forkOfMainnet =
  'networks: [{name: dev, embedded: true, fork: mainnet@5}, {name: mainnet, chainId: 1, upstreams: [{url: "http://127.0.0.1:1"}]}]'
const genesis = JSON.stringify({ config: { chainId: 7 }, gasLimit: '0x1', alloc: {} })
const team = async ({ accounts }: Data, card = true) =>
  accounts.createAccount('team', { hasCard: card })
/** Inserts only the row of a person who can sign in. */
const withPerson = (isOperator: boolean) => async (data: Data) => {
  if ((await data.accounts.findAccount('team')) === null) await team(data)
  data.db.run(
    `INSERT INTO person (id, email, name, password, operator, created)
      VALUES ('p', 'ada@example.org', 'Ada', '', ?, 0)`,
    [isOperator ? 1 : 0],
  )
}
const operator = withPerson(true)
const firstLink = async (data: Data) => data.identity.invitations.createFirst((await team(data)).id)
const withKey = (options: Parameters<Data['accounts']['createKey']>[1]) => async (data: Data) => {
  await team(data)
  return data.accounts.createKey('team', options)
}
const disk = (facts: Partial<ReturnType<Machine['disk']>>) => ({
  machine: { disk: (path: string) => ({ ...soundMachine.disk(path), ...facts }) },
})
const refuses = (code: string) => ({ machine: { tryListen: async () => code } })
const open = { CAIRN_HTTP_HOST: '0.0.0.0' }

const tlsYaml = 'http: {tls: {certificateFile: HERE/cert.pem, keyFile: HERE/key.pem}}'
const withTls = { yaml: tlsYaml, files: { 'cert.pem': tlsCertificate, 'key.pem': tlsKey } }

const golden: readonly (readonly [wrong: string, code: string, given: Case])[] = [
  [
    'a misspelt setting',
    'unknown_setting',
    { yaml: 'http:\n  prot: 1\n', says: /fix write http.port in line 2 of/ },
  ],
  [
    'an unknown section',
    'unknown_setting',
    { yaml: 'rcp:\n  requestMs: 1\n', says: /mean "rpc.requestMs"/ },
  ],
  [
    'a misspelt variable',
    'unknown_setting',
    { env: { CAIRN_HTTP_PROT: '1' }, says: /fix rename .*CAIRN_HTTP_PORT/ },
  ],
  [
    'a text for a number',
    'wrong_setting',
    { yaml: 'http:\n  port: many\n', says: /fix correct line 2 of .*cairn config check/ },
  ],
  ['a port out of range', 'wrong_setting', { yaml: 'http: {port: 70000}', says: /70000/ }],
  ['an unknown choice', 'wrong_setting', { yaml: 'log: {level: loud}', says: /"loud"/ }],
  [
    'a bad network name',
    'wrong_setting',
    { yaml: 'chain: {name: "My Chain"}', says: /lower-case/ },
  ],
  [
    'a number that is negative',
    'wrong_setting',
    { env: { CAIRN_RPC_REQUEST_MS: '-1' }, says: /fix correct CAIRN_RPC_REQUEST_MS/ },
  ],
  ['tabs', 'tabs', { yaml: 'http:\n\tport: 1\n', says: /fix sed -i/ }],
  ['no YAML at all', 'wrong_setting', { yaml: 'http: [1\n' }],
  ['a list at the top', 'wrong_setting', { yaml: '- port: 1\n', says: /expected settings/ }],
  [
    'a settings file that is not there',
    'settings_unreadable',
    { env: { CAIRN_CONFIG: '/nowhere/cairn.yaml' }, says: /fix cairn init/ },
  ],
  [
    'a reference to a variable that is not there',
    'wrong_setting',
    { yaml: 'log: {level: "${env:ABSENT}"}', says: /no variable ABSENT/ },
  ],
  [
    'a reference to a file that is not there',
    'wrong_setting',
    { yaml: 'log: {level: "${file:/nowhere}"}', says: /cannot read the file/ },
  ],
  [
    'a variable given twice',
    'wrong_setting',
    { env: { CAIRN_HTTP_PORT: '1', CAIRN_HTTP_PORT_FILE: '/x' }, says: /are both set/ },
  ],
  [
    'blocks without their genesis',
    'wrong_setting',
    { yaml: 'chain: {blocksFile: x}', says: /expected chain.genesisFile/ },
  ],
  [
    'a variable that no setting reads',
    'unread_variable',
    { env: { CAIRN_SOMETHING_ELSE: '1' }, says: /fix unset CAIRN_SOMETHING_ELSE/ },
  ],
  [
    'a variable over the file',
    'overridden',
    {
      yaml: 'http:\n  port: 1\n',
      env: { CAIRN_HTTP_PORT: '2' },
      says: /CAIRN_HTTP_PORT overrides http.port of .*:2/,
    },
  ],
  [
    'a settings file that others may change',
    'settings_open',
    {
      yaml: 'http: {}',
      folder: () => {},
      machine: {
        findFile: (path) =>
          path.endsWith('.yaml') ? { kind: 'file', mode: 0o666, owner: 0, bytes: 1 } : null,
      },
    },
  ],
  [
    'idle connections closed before a proxy does',
    'keep_alive_short',
    { yaml: 'http: {keepAliveMs: 5000}' },
  ],
  ['headers cut off', 'headers_short', { yaml: 'http: {headersMs: 10}' }],
  ['headers waited for too long', 'headers_long', { yaml: 'http: {headersMs: 100000}' }],
  ['a drain that is killed', 'drain_long', { yaml: 'http: {drainMs: 60000}' }],
  ['requests longer than proxies wait', 'request_long', { yaml: 'rpc: {requestMs: 90000}' }],
  ['requests too short for the EVM', 'request_short', { yaml: 'rpc: {requestMs: 50}' }],
  [
    'bodies too small for blobs',
    'body_small',
    { yaml: 'rpc: {bodyBytesMax: 1048576}', says: /1647168 bytes/ },
  ],
  ['responses too small for a block', 'response_small', { yaml: 'rpc: {responseBytesMax: 4096}' }],
  ['batches smaller than those of ethers', 'batch_small', { yaml: 'rpc: {batchItemsMax: 10}' }],
  [
    'one address can use all connections',
    'one_address_takes_all',
    { yaml: 'http: {connectionsMax: 100}', says: /fix http: \{connectionsPerAddressMax: 25\}/ },
  ],
  ['uploads too small', 'upload_small', { yaml: 'files: {uploadBytesMax: 1000}' }],
  [
    'uploads larger than the store',
    'upload_over_store',
    { yaml: 'files: {uploadBytesMax: 9000000}\nstore: {bytesMax: 8000000}' },
  ],
  ['block times that have no effect', 'block_seconds_unused', { yaml: 'chain: {blockSeconds: 5}' }],
  ['no TLS on a public address', 'no_tls', { env: open }],
  [
    'no card gate on a public address',
    'no_card_gate',
    { env: { ...open, CAIRN_CARD_ADAPTER: 'none' } },
  ],
  ['public dev accounts', 'public_dev_accounts', { env: open }],
  ['a debug log on a public address', 'debug_log', { env: { ...open, CAIRN_LOG_LEVEL: 'debug' } }],
  ['an old Node', 'old_node', { machine: { nodeVersion: '20.9.0' } }],
  [
    'too few open files',
    'few_open_files',
    { machine: { openFilesMax: () => 1024 }, says: /fix ulimit -n 4160/ },
  ],
  [
    'huge pages for those who ask',
    'small_pages',
    { machine: { hugePages: () => 'madvise' }, says: /set to madvise: .* fix echo always/ },
  ],
  [
    'a port of another program',
    'port_taken',
    {
      machine: { tryListen: async () => 'EADDRINUSE', isCairn: async () => false },
      says: /fix find it with ss -ltnp/,
    },
  ],
  [
    'a port of another Cairn',
    'port_of_other_cairn',
    { machine: { tryListen: async () => 'EADDRINUSE', isCairn: async () => true } },
  ],
  ['a port for root only', 'port_privileged', { yaml: 'http: {port: 80}', ...refuses('EACCES') }],
  [
    'an address of another machine',
    'host_not_here',
    { yaml: 'http: {host: 192.0.2.1}', machine: { tryListen: thisMachine().tryListen } },
  ],
  [
    'a name that is no host',
    'host_not_here',
    { yaml: 'http: {host: nowhere.invalid}', ...refuses('ENOTFOUND') },
  ],
  ['a data folder that is a file', 'data_no_folder', { files: { data: '' } }],
  [
    'a data folder that cannot be written',
    'data_not_writable',
    { machine: { mayWrite: () => false }, says: /fix sudo chown/ },
  ],
  [
    'a data folder of another user',
    'data_of_other_user',
    { data: () => {}, machine: { user: 4_000_000 } },
  ],
  [
    'a data folder that all may write',
    'data_open',
    { data: () => {}, folder: (at) => chmodSync(join(at, 'data'), 0o777) },
  ],
  [
    'a database that all may read',
    'data_readable',
    {
      data: () => {},
      folder: (at) => {
        chmodSync(join(at, 'data'), 0o755)
        chmodSync(join(at, 'data/cairn.db'), 0o644)
      },
    },
  ],
  ['a data folder in memory', 'data_in_memory', disk({ type: 0x01021994 })],
  ['a data folder on a network disk', 'data_on_network', disk({ type: 0x6969 })],
  ['a full disk', 'disk_full', disk({ freeBytes: 1_000_000 })],
  ['a nearly full disk', 'disk_low', disk({ freeBytes: 500_000_000 })],
  ['a disk without room for files', 'disk_no_files', disk({ freeFiles: 0 })],
  [
    'a certificate that is absent',
    'tls_unusable',
    { yaml: tlsYaml, says: /cannot read http\.tls/ },
  ],
  [
    'an expired certificate',
    'tls_expired',
    { ...withTls, machine: { clock: { now: () => Date.UTC(2121, 0) } }, says: /2120-01-01/ },
  ],
  [
    'a certificate that expires soon',
    'tls_expires_soon',
    { ...withTls, machine: { clock: { now: () => Date.UTC(2119, 11, 25) } } },
  ],
  [
    'a certificate without the name of the dashboard',
    'tls_other_name',
    {
      ...withTls,
      env: { CAIRN_ADMIN_HOSTS: 'localhost, cairn.example.org' },
      says: /is for localhost, not for cairn/,
    },
  ],
  [
    'an access log in no folder',
    'access_log_unwritable',
    {
      yaml: 'accessLog: {enabled: true, file: HERE/absent/access.log}',
      says: /fix sudo install -d/,
    },
  ],
  [
    'a deny list that is not there',
    'deny_file_unreadable',
    { yaml: 'gateway: {denyFile: HERE/none.txt}', says: /none\.txt: no such file/ },
  ],
  [
    'one of several deny lists that is not there',
    'deny_file_unreadable',
    { yaml: 'gateway: {denyFiles: "HERE,HERE/none.deny"}', says: /none\.deny: no such file/ },
  ],
  [
    'a genesis that is not there',
    'genesis_missing',
    { yaml: 'chain: {genesisFile: HERE/none.json}' },
  ],
  [
    'a genesis that is no JSON',
    'genesis_no_json',
    { yaml: 'chain: {genesisFile: HERE/g.json}', files: { 'g.json': '{,}' } },
  ],
  [
    'a genesis of the wrong shape',
    'genesis_wrong',
    {
      yaml: 'chain: {genesisFile: HERE/g.json}',
      files: { 'g.json': '{}' },
      says: /config must be an object/,
    },
  ],
  [
    'blocks that are not there',
    'blocks_missing',
    {
      yaml: 'chain: {genesisFile: HERE/g.json, blocksFile: HERE/none}',
      files: { 'g.json': genesis },
    },
  ],
  [
    'blocks cut off',
    'blocks_cut',
    {
      yaml: 'chain: {genesisFile: HERE/g.json, blocksFile: HERE/b}',
      files: { 'g.json': genesis, b: Uint8Array.of(0xf9, 1, 2, 3) },
    },
  ],
  [
    'a file without blocks',
    'blocks_none',
    {
      yaml: 'chain: {genesisFile: HERE/g.json, blocksFile: HERE/b}',
      files: { 'g.json': genesis, b: '' },
    },
  ],
  [
    'a database that is damaged',
    'database_broken',
    {
      data: () => {},
      folder: (at) => writeFileSync(join(at, 'data/cairn.db'), 'no database'.repeat(1000)),
    },
  ],
  [
    'a database of a newer Cairn',
    'database_newer',
    { data: ({ db }) => db.exec('PRAGMA user_version = 99') },
  ],
  [
    'a database of an older Cairn',
    'database_older',
    { data: ({ db }) => db.exec('PRAGMA user_version = 1'), says: /fix cp -a/ },
  ],
  [
    'a folder without data, which may be named wrong',
    'no_data_yet',
    { says: /no data in .* yet.* fix start the server to create it: .*--data-dir/ },
  ],
  [
    'content whose database is gone',
    'database_gone',
    {
      folder: (at) => {
        mkdirSync(join(at, 'data/store/log'), { recursive: true, mode: 0o700 })
        chmodSync(join(at, 'data'), 0o700)
        writeFileSync(join(at, 'data/store/log/1.log'), 'x')
      },
      says: /fix .* cairn store rebuild/,
    },
  ],
  [
    'a store that files have filled',
    'store_full',
    {
      yaml: 'store: {bytesMax: 4194304}',
      data: () => {},
      folder: (at) => {
        mkdirSync(join(at, 'data/store/ext'), { recursive: true })
        writeFileSync(join(at, 'data/store/ext/1.ext'), new Uint8Array(4_000_000))
      },
    },
  ],
  [
    'a store that is full',
    'store_full',
    {
      yaml: 'store: {bytesMax: 1048576}',
      data: ({ db }) => {
        db.run('INSERT INTO body (bytes) VALUES (?)', [new Uint8Array(1_048_576)])
      },
    },
  ],
  [
    'another genesis than before',
    'genesis_changed',
    {
      data: setHead(0, first.header, first.hash),
      yaml: 'chain: {genesisFile: HERE/g.json}',
      files: { 'g.json': genesis },
    },
  ],
  [
    'another fork than before',
    'fork_changed',
    {
      data: (data) => {
        setHead(20, first.header, first.hash)(data)
        data.db.run(
          "INSERT INTO chain_fork (network, source, asked, number, hash, state_root) VALUES ('dev', 'mainnet', 'latest', 20, ?, ?)",
          [first.hash, first.hash],
        )
      },
      yaml: forkOfMainnet,
    },
  ],
  [
    'a fork in the settings, and a chain with a genesis block',
    'fork_of_other_chain',
    { data: setHead(0, first.header, first.hash), yaml: forkOfMainnet },
  ],
  [
    'another chain name than before',
    'chain_renamed',
    {
      data: setHead(0, first.header, first.hash),
      yaml: 'chain: {name: other}',
      says: /fix chain: \{name: dev\}/,
    },
  ],
  [
    'a newest block that is gone',
    'head_missing',
    {
      data: (data) => {
        setHead(0, first.header, first.hash)(data)
        data.db.exec('DELETE FROM content')
      },
    },
  ],
  [
    'a clock behind the newest block',
    'clock_behind',
    { data: setHead(0, first.header, first.hash), machine: { clock: { now: () => -1_000_000 } } },
  ],
  [
    'an upstream that lied of late',
    'upstream_lied',
    {
      yaml: 'networks: [{name: far, chainId: 5, upstreams: [{url: "http://127.0.0.1:9", name: node}]}]',
      machine: { clock: { now: () => 2 * dayMs } },
      data: recentLies,
      says: /far\/node sent invalid replies 2 times in the last day/,
    },
  ],
  [
    'a clock behind the newest key',
    'clock_went_back',
    { data: withKey({}), machine: { clock: { now: () => 0 } } },
  ],
  ['no key', 'no_key', { data: team }],
  [
    'no person who can sign in',
    'no_operator',
    { data: team, says: /no person can sign in.*fix cairn init --link/ },
  ],
  [
    'people and no operator',
    'no_operator',
    {
      data: withPerson(false),
      says: /no person is an operator fix cairn people invite --operator/,
    },
  ],
  ['an unused first-run link', 'no_operator', { data: firstLink, says: /is unused/ }],
  [
    'a first-run link that is over',
    'link_over',
    {
      data: firstLink,
      machine: { clock: { now: () => Date.now() + dayMs } },
      says: /has expired.*fix cairn init --link/,
    },
  ],
  [
    'an operator with a password alone at a public address',
    'operator_without_totp',
    { env: open, data: operator, says: /ada@example\.org: operator without/ },
  ],
  [
    'a key pair that is gone, with codes sealed under it',
    'seal_lost',
    {
      data: async (data) => {
        await operator(data)
        data.db.run('UPDATE person SET totp = ?', [new Uint8Array(48)])
      },
      says: /codes of ada@example\.org fix .*cairn people reset-totp ada@example\.org/,
    },
  ],
  [
    'an account without an owner',
    'no_owner',
    {
      data: async (data) => {
        await operator(data)
        const { id } = await data.accounts.getAccount('team')
        data.db.run(`INSERT INTO membership VALUES (?, 'p', 'member', 0)`, [id])
      },
      says: /fix cairn people invite --account team --role owner/,
    },
  ],
  ['only keys that ended', 'no_working_key', { data: withKey({ expires: 1 }) }],
  [
    'a key that ends soon',
    'key_ends_soon',
    {
      data: withKey({ expires: Date.parse('2999-01-01') }),
      machine: { clock: { now: () => Date.parse('2998-12-30') } },
    },
  ],
  [
    'an unused key',
    'key_never_used',
    {
      data: withKey({ name: 'old' }),
      machine: { clock: { now: () => Date.parse('2999-01-01') } },
      says: /\(old\)/,
    },
  ],
  [
    'a key for a network that is not served',
    'key_unknown_network',
    { data: withKey({ settings: { networks: ['mainnet'] } }) },
  ],
  [
    'a key with a limit of 0',
    'key_limit_zero',
    { data: withKey({ settings: { unitsPerDay: 0 } }) },
  ],
  [
    'a key that cannot be read',
    'key_unreadable',
    {
      data: async (data) => {
        await withKey({})(data)
        data.db.run("UPDATE api_key SET settings = 'no'")
      },
    },
  ],
  [
    'an account without a card',
    'no_card',
    {
      data: async (data) => {
        await team(data, false)
        await data.accounts.createKey('team')
      },
      says: /fix cairn card set team --/,
    },
  ],
  ['public keys that need no secret', 'no_secret_required', { data: withKey({}), env: open }],
  [
    'a request to pin that nothing can find',
    'network_off',
    {
      data: async (data) => {
        const { id } = await team(data)
        data.db.run(
          `INSERT INTO pin_request (id, account_id, cid, name, folded, status, created, due, tries, blocks, bytes)
            VALUES ('r', ?, x'01551220', '', '', 'failed', 1, 1, 1, 0, 0)`,
          [id],
        )
      },
      says: /1 request to pin waits or failed.*mode: fetch/,
    },
  ],
  [
    'public keys without a limit',
    'no_limits',
    { data: withKey({}), env: { ...open, CAIRN_HTTP_KEY_RATES: 'none' } },
  ],
]

for (const [wrong, code, testCase] of golden) {
  test(`doctor finds ${wrong}`, async () => {
    const { problems } = await diagnose(testCase)
    const found = problems.find((one) => one.code === code)
    assert.ok(found !== undefined, `found ${problems.map((one) => one.code).join(', ')}`)
    assert.notEqual(found.fix, '')
    assert.match(found.text, /^\S.*[^.]$/)
    assert.match(`${found.text} fix ${found.fix}`, testCase.says ?? /fix /)
  })
}

test('a sound folder with a key that was used has nothing wrong', async () => {
  const { problems, running } = await diagnose({
    data: async (data) => {
      await withKey({ expires: null })(data)
      await operator(data)
      setHead(0, first.header, first.hash)(data)
    },
  })
  assert.deepEqual(problems, [])
  assert.equal(running, false)
})

test('invalid replies of a paused upstream are not reported', async () => {
  const { problems } = await diagnose({
    yaml: 'networks: [{name: far, chainId: 5, upstreams: [{url: "http://127.0.0.1:9", name: node, paused: true}, {url: "http://127.0.0.1:10"}]}]',
    machine: { clock: { now: () => 2 * dayMs } },
    data: recentLies,
  })
  assert.ok(problems.every(({ code }) => code !== 'upstream_lied'))
})

test('a key that ends soon and has a successor is nothing to tell', async () => {
  const { problems } = await diagnose({
    data: async (data) => {
      const { apiKey } = await withKey({})(data)
      await operator(data)
      await data.accounts.rotateKey(apiKey.id, dayMs)
    },
  })
  assert.deepEqual(problems, [])
})

test('of many like ones the first five are named, the rest counted', async () => {
  const { problems } = await diagnose({
    data: async (data) => {
      await operator(data)
      for (let n = 0; n < 8; n++)
        await data.accounts.createKey('team', { settings: { unitsPerDay: 0 } })
    },
  })
  assert.equal(problems.length, 6)
  assert.match(problems.at(-1)?.text ?? '', /; 3 more$/)
})

test('a port in use by another program is not reported as Cairn, and a free port not as in use', async () => {
  const { tryListen, isCairn } = thisMachine()
  const server = createServer((socket) => socket.resume().end('hello\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  assert.equal(await tryListen('127.0.0.1', port), 'EADDRINUSE')
  assert.equal(await isCairn('127.0.0.1', port, false), false)
  await new Promise((resolve) => server.close(resolve))
  assert.equal(await tryListen('127.0.0.1', port), null)
})

test('beside a running server only the first operator is missing, and its port is its own', async () => {
  const server = await startCairn()
  try {
    const port = new URL(server.url).port
    const { tryListen, isCairn } = thisMachine()
    const context = {
      out: () => {},
      err: () => {},
      readInput: async () => '',
      env: { CAIRN_HTTP_PORT: port },
    }
    const machine = { ...soundMachine, tryListen, isCairn }
    const { problems, running } = await examine(context, { dataDir: server.dataDir }, machine)
    assert.equal(running, true)
    // The link that the start printed has not been used.
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['no_operator'],
    )
    const elsewhere = await examine(context, { dataDir: join(root, 'fresh') }, machine)
    assert.deepEqual(
      elsewhere.problems.map(({ code }) => code),
      ['port_of_other_cairn', 'no_data_yet'],
    )
  } finally {
    await server.stop()
  }
})

test('the command prints each problem with its fix, ends with 1, and leaves nothing behind', async () => {
  const dataDir = join(root, 'command')
  const run = async (...more: string[]) => {
    let out = ''
    let err = ''
    const code = await runProgram(['doctor', '--data-dir', dataDir, ...more], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      readInput: async () => '',
      env: { CAIRN_HTTP_PORT: 'x' },
    })
    return { code, out, err }
  }
  const { code, out, err } = await run()
  assert.deepEqual([code, err], [1, ''])
  assert.match(
    out,
    /^problem {2}CAIRN_HTTP_PORT: http.port is "x".*\n {9}fix: correct CAIRN_HTTP_PORT/,
  )
  const { problems } = JSON.parse((await run('--json')).out) as { problems: object[] }
  assert.partialDeepStrictEqual(problems, [{ code: 'wrong_setting', level: 'problem' }])
  assert.equal(thisMachine().findFile(dataDir), null)
})

test('--live ends with 0 while the server responds, with 1 afterwards, and with 2 without a port', async () => {
  const server = await startCairn()
  const { host, port } = new URL(server.url)
  const live = async (env: Record<string, string>, ...more: string[]) => {
    let out = ''
    let err = ''
    const code = await runProgram(['doctor', '--live', ...more], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      readInput: async () => '',
      env,
    })
    return { code, out, err }
  }
  try {
    // Doctor reaches a wildcard address over loopback, as in a container.
    const everywhere = { CAIRN_HTTP_PORT: port, CAIRN_HTTP_HOST: '0.0.0.0' }
    assert.deepEqual(await live(everywhere), { code: 0, out: `http://${host} is live.\n`, err: '' })
    const json = await live(everywhere, '--json')
    assert.deepEqual(JSON.parse(json.out), { ok: true, url: `http://${host}` })
  } finally {
    await server.stop()
  }
  const { code, out } = await live({ CAIRN_HTTP_PORT: port })
  assert.equal(code, 1)
  assert.match(out, /^no Cairn server responds at http:\/\/127\.0\.0\.1:\d+\/livez: start it/)
  const portless = await live({ CAIRN_HTTP_PORT: '0' })
  assert.deepEqual([portless.code, portless.out], [2, ''])
  assert.match(portless.err, /http\.port is 0: set http\.port/)
})

test('a database is only read: doctor leaves its bytes alone', async () => {
  const folder = join(root, 'read')
  await using data = await openData(
    { out: () => {}, err: () => {}, readInput: async () => '', env: {} },
    { dataDir: folder },
    { make: true },
  )
  await team(data)
  const before = data.db.dataVersion()
  const context = { out: () => {}, err: () => {}, readInput: async () => '', env: {} }
  await examine(context, { dataDir: folder }, soundMachine)
  assert.equal(data.db.dataVersion(), before)
  openDatabase(join(folder, 'cairn.db'), { readOnly: true }).close()
})
