// Checks the rows of the shared database against each other and against the objects of the bucket.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { hasErrno } from '../../src/base/describe-errno.ts'
import type { Nodes } from './nodes.ts'

/** Queries that find inconsistent rows; each must return none. */
const faults: Readonly<Record<string, string>> = {
  'charges without their block': `SELECT charge.block FROM charge LEFT JOIN block ON block.id = charge.block
    WHERE block.id IS NULL`,
  'charged blocks that cannot be read': `SELECT block.id, block.file FROM block JOIN charge ON charge.block = block.id
    WHERE block.file <= 0`,
  'parts of a root without their block': `SELECT closure.root, closure.block FROM closure JOIN holding USING (root)
    LEFT JOIN block ON block.id = closure.block WHERE block.id IS NULL`,
  'blocks whose object is not live': `SELECT block.id, block.file, segment.state FROM block
    LEFT JOIN segment ON segment.id = block.file
    WHERE block.file > 0 AND segment.state IS DISTINCT FROM 'live'`,
  'accounts whose storage is not that of a recount': `SELECT account_storage.*, counted.* FROM account_storage,
    LATERAL (SELECT count(*) AS counted, coalesce(sum(size), 0) AS size FROM block WHERE id IN
      (SELECT closure.block FROM holding JOIN closure USING (root) WHERE holding.storage = account_storage.id)) AS counted
    WHERE account_storage.blocks <> counted.counted OR account_storage.bytes <> counted.size`,
  'holdings whose claims are not their pins and leases': `SELECT holding.* FROM holding
    JOIN account_storage ON account_storage.id = holding.storage WHERE claims <>
      (SELECT count(*) FROM pin WHERE pin.root = holding.root AND pin.account_id = account_storage.account_id) +
      (SELECT count(*) FROM lease WHERE lease.root = holding.root AND lease.account_id = account_storage.account_id)`,
}

/** Must be called while the servers run and no client writes. */
export async function assertRows(nodes: Nodes): Promise<void> {
  for (const [name, sql] of Object.entries(faults)) {
    assert.deepEqual(await nodes.query(sql), [], name)
  }
  const live = await liveSegments(nodes)
  const objects = new Set(await listObjects(nodes))
  const lost = live.filter((id) => !objects.has(id))
  assert.deepEqual(lost, [], 'rows without their object')
}

/** Enough collections to end uploads, delete blocks, compact, and mark, remove and again remove objects. */
const collectionsMax = 6

/** Collects until the bucket contains exactly the objects of the rows. `collect`: a collection while the servers are stopped. */
export async function assertCollected(
  nodes: Nodes,
  collect: () => Promise<unknown>,
): Promise<void> {
  for (let round = 1; ; round += 1) {
    await advanceHours(nodes, { hours: 24 * 8, isStopped: true })
    await collect()
    await assertRows(nodes)
    const left = await rest(nodes)
    if (Object.values(left).every(({ length }) => length === 0)) return
    if (round === collectionsMax) assert.fail(`${round} collections left ${JSON.stringify(left)}`)
  }
}

/** What remains after the last collection: must be nothing. */
async function rest(nodes: Nodes): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const live = new Set(await liveSegments(nodes))
  const extra = (await listObjects(nodes)).filter((id) => !live.has(id))
  const ids = extra.join(', ') || 'NULL'
  return {
    'objects without a live row': extra,
    'their rows': await nodes.query(
      `SELECT segment.*, node FROM segment LEFT JOIN node_lease USING (token) WHERE id IN (${ids})`,
    ),
    'live objects without blocks': await nodes.query(`SELECT id FROM segment WHERE state = 'live'
      AND NOT EXISTS (SELECT 1 FROM block WHERE block.file = segment.id)`),
    'rows of unfinished uploads': await nodes.query('SELECT * FROM staged'),
  }
}

async function liveSegments(nodes: Nodes): Promise<readonly string[]> {
  const rows = await nodes.query(`SELECT id FROM segment WHERE state = 'live'`)
  return rows.map(({ id }) => String(id))
}

/**
 * Simulates hours without a request: complete objects count as quiet, the next collection removes dead ones, and leases of killed
 * servers have expired. `isStopped`: all servers are stopped.
 */
export async function advanceHours(
  nodes: Nodes,
  { hours, isStopped }: { readonly hours: number; readonly isStopped: boolean },
): Promise<void> {
  const aged = `- interval '${hours} hours'`
  await nodes.query(`UPDATE segment SET since = since ${aged} WHERE state <> 'writing'`)
  await nodes.query(`UPDATE node_lease SET until = until ${aged}
    WHERE ${isStopped} OR token NOT IN (SELECT max(token) FROM node_lease GROUP BY node)`)
}

/** The S3 service removes the folder with its last object. */
async function listObjects({ folder }: Nodes): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasErrno(error, ['ENOENT'])) return []
    throw error
  }
}
