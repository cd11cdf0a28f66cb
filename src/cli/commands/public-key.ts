// `cairn keys public-key add|list|remove`: the public keys that verify the JWTs of an API key.
// Tested by test/cli/cli-keys.test.ts
import type { Command } from 'commander'
import type { JwtPublicKey } from '../../access/accounts/jwt-public-keys.ts'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { showTime } from '../open-data.ts'
import { placeOf } from '../plan-options.ts'
import { print, table } from '../report.ts'

export function definePublicKey(command: Command, context: Context): void {
  const group = command
    .command('public-key')
    .description('manage the public keys for JWTs of an API key, at most three')
  addAdminOptions(
    group
      .command('add <id>')
      .description('add a public key (RSA or P-256) from standard input, as PEM or JWK'),
  )
    .option('--name <name>', 'name of the public key')
    .option('--id <kid>', 'existing key ID of the tokens (a new ID)')
    .addHelpText(
      'after',
      `
Example:
  openssl ecparam -name prime256v1 -genkey -noout -out private.pem
  openssl ec -in private.pem -pubout | cairn keys public-key add <id> --name signer

Set the printed ID as the kid of the tokens. Cairn never sees the private key.`,
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
  addAdminOptions(group.command('list <id>').description('list the public keys of an API key'))
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
      .description('remove a public key; its JWTs are refused immediately'),
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

/** JSON for programs. */
export function showPublicKey(publicKey: JwtPublicKey): object {
  return { ...publicKey, created: showTime(publicKey.created) }
}

/** Text for people, one line per key. */
export function describePublicKeys(publicKeys: readonly JwtPublicKey[]): string {
  const rows = publicKeys.map(({ id, name, algorithm, fingerprint, created }) => [
    id,
    name,
    algorithm,
    fingerprint,
    showTime(created),
  ])
  const headings = ['id (kid)', 'name', 'algorithm', 'fingerprint', 'created']
  return table(headings, rows, 'No public keys.')
}
