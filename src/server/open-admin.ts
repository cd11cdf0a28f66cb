// Opens the admin API: its operations, their context, and authentication.
// Tested by test/admin/admin.test.ts
import type { Clock } from '../base/clock.ts'
import type { Rows } from '../db/rows.ts'
import type { UsageView } from '../admin/resources/usage/usage-view.ts'
import { listStorage, readStorage, sumStorage } from '../ipfs/pins/account-storage.ts'
import { createUsageFeed } from '../access/usage/usage-feed.ts'
import { createUsageLines } from '../access/usage/usage-lines.ts'
import { createKeyUsages } from '../access/usage/key-usage.ts'
import { createUsageReports } from '../access/usage/usage-report.ts'
import type { Usage, UsageRead } from '../access/usage/usage.ts'
import type { AdminContext, PinRows } from '../admin/admin-operation.ts'
import { findContainingPins } from '../ipfs/pins/containing-pins.ts'
import { announceNow, changePin, findListedPin, listPins } from '../ipfs/pins/pin-list.ts'
import { fileURLToPath } from 'node:url'
import { cardGateOf, listOf } from './open-access.ts'
import { createListedIps } from '../base/addresses.ts'
import type { Directory } from '../access/accounts/directory.ts'
import type { Log } from '../base/log.ts'
import type { RequestLog } from '../pipeline/request-log/finished-request.ts'
import type { Config } from '../config/settings.ts'
import { adminOperations, auditedActions } from '../admin/index.ts'
import { type DryRunDeps, createDryRun } from '../admin/dry-run.ts'
import {
  type AsKeyParts,
  type FindPrincipal,
  createAdminHandler,
  createAsKey,
  createOpenApiHandler,
} from '../admin/http/admin-handler.ts'
import { type AdminApi, createAdminApi } from '../admin/http/admin-api.ts'
import { createDashboardHandler } from '../admin/dashboard/dashboard-handler.ts'
import { readBuiltFiles } from '../http/built-files.ts'
import { createStripeHook } from '../admin/http/stripe-hook.ts'
import type { TransferMeters } from '../access/limits/transfer-meters.ts'
import { openRpc } from '../rpc/open-rpc/open-rpc.ts'
import { cairnVersion } from './version.ts'

/** `usage`: null without a meter. */
export function openUsageView(parts: {
  readonly rows: Rows
  readonly clock: Clock
  readonly usage: Usage | null
}): UsageView {
  const { rows, clock, usage } = parts
  const ofDatabase: UsageRead = async (queries) => ({
    rows: await rows.snapshot(queries),
    unwritten: [],
  })
  const read = usage?.read ?? ofDatabase
  return {
    report: createUsageReports({ clock, read }).report,
    list: createUsageLines({ read }).list,
    listKeys: createKeyUsages({ clock, read }).list,
    follow: usage === null ? null : createUsageFeed({ usage, clock }).follow,
    storageOf: (accountId) => sumStorage(rows, accountId),
  }
}

export function openPinRows(rows: Rows, clock: Pick<Clock, 'now'>): PinRows {
  return {
    list: (accountId, page) => listPins(rows, accountId, page),
    find: (accountId, cid) => findListedPin(rows, accountId, cid),
    stored: (accountId) => readStorage(rows, accountId),
    containing: (accountId, cid) => findContainingPins(rows, accountId, cid),
    storage: () => listStorage(rows),
    change: (accountId, cid, change) => changePin(rows, { accountId, cid }, change),
    announce: (cid) => announceNow(rows, cid, clock.now()),
  }
}

export type AdminApiNeeds = {
  readonly context: Omit<AdminContext, 'tryRequest' | 'auditedActions'>
  readonly findPrincipal: FindPrincipal
  readonly directory: Pick<Directory, 'callerOf' | 'enterAs' | 'refresh'>
  readonly opened: Pick<DryRunDeps, 'networks' | 'operationsOf'>
  readonly limiter: DryRunDeps['limiter']
  readonly transferMeters: TransferMeters
  readonly endpoints: Pick<AsKeyParts, 'rpc' | 'files' | 'uploads'> &
    Pick<DryRunDeps, 'commandClassOf'>
  /** Current settings. */
  readonly settings: { readonly now: Config }
  /** Receives the finished requests of the admin API. */
  readonly requests: RequestLog
  /** Names of all JSON-RPC methods that the server implements. */
  readonly rpcOperations: Parameters<typeof openRpc>[0]
  readonly clock: Clock
  readonly log: Log
}

/** Resolves in the source tree and in a package. */
const dashboardFolder = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

export function openAdmin(needs: AdminApiNeeds): AdminApi {
  const { settings, clock, log } = needs
  const version = cairnVersion()
  let rpcDocument: string | null = null
  const operations = adminOperations
  const isListed = createListedIps(() => settings.now.admin.ips)

  const rules = {
    get hosts() {
      return listOf(settings.now.admin.hosts)
    },
    admits: (address: string) => settings.now.admin.ips === null || isListed(address),
  }
  const { directory, opened, limiter, transferMeters, endpoints } = needs
  const tryRequest = createDryRun({
    enterAs: directory.enterAs,
    networks: opened.networks,
    operationsOf: opened.operationsOf,
    commandClassOf: endpoints.commandClassOf,
    limiter,
    transferMeters,
    cardGate: () => cardGateOf(settings.now),
  })
  return createAdminApi({
    api: createAdminHandler({
      operations,
      context: { ...needs.context, tryRequest, auditedActions },
      findPrincipal: needs.findPrincipal,
      // Applies a revoked or changed key immediately, because requests are checked from memory.
      async changed() {
        // The change is already stored, so a failure here must not become the reply.
        try {
          await directory.refresh()
        } catch (error) {
          log('error', 'accounts_not_refreshed', { error })
        }
        needs.context.inspecting?.inspector.applySettings()
      },
      settings: rules,
      requests: needs.requests,
      asKey: createAsKey({ callerOf: directory.callerOf, ...endpoints }),
      version,
      clock,
      log,
    }),
    openApi: createOpenApiHandler({ operations, version }),
    openRpc: () => (rpcDocument ??= JSON.stringify(openRpc(needs.rpcOperations, version))),
    dashboard: createDashboardHandler({
      files: readBuiltFiles(dashboardFolder),
      settings: rules,
      takesCards: () => settings.now.card.adapter === 'stripe',
    }),
    stripeHook: createStripeHook({ cards: needs.context.cards, clock, log }),
  })
}
