// Generates the OpenAPI 3.1 document of the admin API from the table of operations.
// Tested by test/admin/admin.test.ts
import { z } from 'zod'
import type { AdminOperation } from './admin-operation.ts'
import { adminBase, isBodiless, pathNames } from './admin-route.ts'

type Json = Record<string, unknown>

/** `version`: version of Cairn. */
export function openApi(operations: readonly AdminOperation[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = `${adminBase}${operation.path}`
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Cairn admin API', version },
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-cairn',
          description: 'With `-` and the port behind it where the Host header names one.',
        },
        token: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: errorSchema },
    },
  }
}

const errorSchema: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' }, data: {} },
    },
  },
}

function describe(operation: AdminOperation): Json {
  const schema = toSchema(operation.input, 'input')
  const properties = (schema['properties'] ?? {}) as Record<string, Json>
  const required = (schema['required'] ?? []) as readonly string[]
  const inPath = pathNames(operation.path)
  const others = Object.keys(properties).filter((name) => !inPath.includes(name))
  const bodiless = isBodiless(operation)
  const parameter = (place: string) => (name: string) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: properties[name] ?? { type: 'string' },
  })
  const parameters = [
    ...inPath.map(parameter('path')),
    ...(bodiless ? others.map(parameter('query')) : []),
  ]
  return {
    operationId: operation.id,
    summary: operation.summary,
    'x-cairn-role': operation.role,
    ...(operation.confirmed === true ? { 'x-cairn-confirmation': true } : {}),
    security: operation.role === 'anyone' ? [] : [{ session: [] }, { token: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(bodiless || others.length === 0 ? {} : { requestBody: body(schema, inPath) }),
    responses: {
      '200': { description: operation.summary, content: contentOf(operation) },
      default: {
        description: 'Refused; the code gives the reason.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

function body(schema: Json, inPath: readonly string[]): Json {
  const properties = { ...(schema['properties'] as Json) }
  for (const name of inPath) delete properties[name]
  const required = ((schema['required'] ?? []) as readonly string[]).filter(
    (name) => !inPath.includes(name),
  )
  const content = { 'application/json': { schema: { ...schema, properties, required } } }
  return { required: required.length > 0, content }
}

function contentOf(operation: AdminOperation): Json {
  if (operation.form === 'text') return { 'text/plain': { schema: { type: 'string' } } }
  const schema = toSchema(operation.output, 'output')
  return { [operation.form === 'events' ? 'text/event-stream' : 'application/json']: { schema } }
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}
