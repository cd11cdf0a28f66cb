// `cairn keys public-key add|list|remove`: what the JWTs of an API key are checked with.
// Tested by test/cli-keys.test.ts
import type { Command } from 'commander'
import type { JwtPublicKey } from '../accounts/jwt-public-keys.ts'
import { addAdminOptions, type AdminOptions, openAdminAccess } from './admin-access.ts'
import type { Context } from './context.ts'
import { showTime } from './open-data.ts'
import { placeOf } from './plan-options.ts'
import { print, table } from './report.ts'

export function definePublicKey(command: Command, context: Context): void {
  const group = command
    .command('public-key')
    .description('keys that the JWTs of an API key are signed for, three at most')
  addAdminOptions(
    group
      .command('add <id>')
      .description('take a public key from standard input: PEM, or a JWK; RSA or P-256'),
  )
    .option('--name <name>', 'what it is for')
    .option('--id <kid>', 'what tokens name it as already (a new id)')
    .addHelpText(
      'after',
      `
Example:
  openssl ecparam -name prime256v1 -genkey -noout -out private.pem
  openssl ec -in private.pem -pubout | cairn keys public-key add <id> --name signer

Tokens name the id that is shown as their kid. Who may sign keeps the private key; Cairn never sees it.`,
    )
    .action(
      async (
        id: string,
        options: AdminOptions & { readonly name?: string; readonly id?: string },
      ) => {
        const text = await context.readInput()
        await using admin = await openAdminAccess(context, options)
        const { publicKey } = await admin.call('POST /accounts/{account}/keys/{key}/public-keys', {
          ...(await placeOf(admin, id)),
          name: options.name ?? '',
          id: options.id,
          publicKey: text,
        })
        print(
          context,
          options.json,
          { publicKey: showPublicKey(publicKey) },
          describePublicKeys([publicKey]),
        )
      },
    )
  addAdminOptions(group.command('list <id>').description('the public keys of an API key'))
    .addHelpText('after', '\nExample:\n  cairn keys public-key list <id>')
    .action(async (id: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { publicKeys } = await admin.call(
        'GET /accounts/{account}/keys/{key}/public-keys',
        await placeOf(admin, id),
      )
      print(
        context,
        options.json,
        { publicKeys: publicKeys.map(showPublicKey) },
        describePublicKeys(publicKeys),
      )
    })
  addAdminOptions(
    group
      .command('remove <id> <public-key>')
      .description('take one away, by its id: JWTs that it signed are refused from then on'),
  )
    .addHelpText('after', '\nExample:\n  cairn keys public-key remove <id> <public-key>')
    .action(async (id: string, publicKey: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const place = await placeOf(admin, id)
      const { publicKeys } = await admin.call(
        'DELETE /accounts/{account}/keys/{key}/public-keys/{publicKey}',
        { ...place, publicKey },
      )
      print(
        context,
        options.json,
        { publicKeys: publicKeys.map(showPublicKey) },
        describePublicKeys(publicKeys),
      )
    })
}

/** For programs. */
export function showPublicKey(publicKey: JwtPublicKey): object {
  return { ...publicKey, created: showTime(publicKey.created) }
}

/** For people: a line each. */
export function describePublicKeys(publicKeys: readonly JwtPublicKey[]): string {
  const rows = publicKeys.map(({ id, name, algorithm, fingerprint, created }) => [
    id,
    name,
    algorithm,
    fingerprint,
    showTime(created),
  ])
  const headings = ['id (kid)', 'name', 'algorithm', 'fingerprint', 'created']
  return table(headings, rows, 'The API key has no public key.')
}
