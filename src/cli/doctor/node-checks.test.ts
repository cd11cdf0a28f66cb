// Problems between the servers of one database.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { usePostgres } from '../../../test/fakes/postgres-rows.ts'
import { temporaryFolder } from '../../../test/started-server.ts'
import { obtainSealSecret } from '../../access/accounts/server-identity.ts'
import { loadConfig } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import { digestSettings } from '../../config/shared-settings.ts'
import { takeNodeLease } from '../../tables/objects/object-segments.ts'
import { checkNodes } from './node-checks.ts'

const postgres = usePostgres()

test(
  'servers whose settings differ are named with the settings, and one that is not alone',
  { skip: postgres.skip },
  async (t) => {
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const settingsWith = async (upstream: string) => {
      const networks = [{ network: 'mainnet', urls: [upstream], trusted: true, isForked: false }]
      const flags = { dataDir: { flag: '--data-dir', text: dataDir } }
      return (await loadConfig({ file: null, env: {}, flags, networks })).config
    }
    const config = await settingsWith('http://127.0.0.1:1')
    const secret = obtainSealSecret(config)
    const { rows } = await postgres.openNode(t, await postgres.createDatabase())
    const serve = (node: string, its: Config, leaseMs = 60_000) =>
      rows.first(takeNodeLease(node, JSON.stringify(digestSettings(its, secret)), leaseMs))
    const problemsOf = (own: Config) => Array.fromAsync(checkNodes(rows, own, true))

    const other: Config = { ...config, limits: { alone: 'closed' }, usage: { keepDays: 7 } }
    await serve('same', { ...(await settingsWith('http://127.0.0.1:2')), workers: 2 })
    await serve('restarted', other)
    await serve('restarted', config)
    await serve('ended', other, -1)
    await rows.first(takeNodeLease('cairn gc', null, 60_000))
    assert.deepEqual(await problemsOf(config), [])

    await serve('other', other)
    const differing = await problemsOf(config)
    assert.deepEqual(
      differing.map(({ code, text }) => [code, text]),
      [['node_settings_differ', 'server other has other settings than this file: usage, limits']],
    )
    assert.ok(!JSON.stringify(differing).includes('closed'))

    const [alone] = await problemsOf({ ...config, node: { ...config.node, only: true } })
    assert.equal(alone?.code, 'node_not_alone')
    assert.match(alone?.text ?? '', /3 servers use the database \(other, restarted, same\)/)
  },
)
