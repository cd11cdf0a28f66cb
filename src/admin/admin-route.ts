// Routes of admin operations: the parameters in a path, and which requests send the input in the query. Imports only types, because
// the dashboard bundles this file.
// Tested by src/admin/client.test.ts
import type { AdminOperation } from './admin-operation.ts'

export const adminBase = '/api/v1'

/** Names of the parameters of a path, in order. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
}

/** The request has no body: input other than path parameters goes into the query. */
export function isBodiless({ method }: { readonly method: string }): boolean {
  return method === 'GET' || method === 'DELETE'
}

/** `GET /accounts/{account}/keys`. */
export function routeOf({ method, path }: Pick<AdminOperation, 'method' | 'path'>): string {
  return `${method} ${path}`
}
