// Converts SQL texts of `tables/` for PostgreSQL. Most texts are the same for SQLite and PostgreSQL except for their parameters; a
// statement with further differences has a separate text for each.
// Tested by src/db/postgres/dialect.test.ts

const partRegex = /'(?:[^']|'')*'|"[^"]*"|\?\d*|\bCROSS JOIN (\w+(?: (?:AS )?(?!ON\b)\w+)?)\s+ON\b/g

/**
 * `?` and `?2` become `$1` and `$2`. `CROSS JOIN … ON`, which fixes the join order in SQLite, becomes `JOIN … ON`. Quoted text is
 * unchanged.
 */
export function toPostgres(sql: string): string {
  let parameters = 0
  return sql.replaceAll(partRegex, (part, joined: string | undefined) => {
    if (joined !== undefined) return `JOIN ${joined} ON`
    if (!part.startsWith('?')) return part
    parameters += 1
    return `$${part === '?' ? parameters : part.slice(1)}`
  })
}

const insertRegex =
  /^(\s*INSERT INTO [\s\S]*?\bVALUES )(\((?:\?, )*\?\))(?![\s\S]*\bDO UPDATE\b)([\s\S]*)$/

/**
 * An `INSERT … VALUES (?, …)` for `count` rows, whose parameters follow one another. Null: the statement has another form.
 * Statements that update on conflict are not converted: PostgreSQL refuses to update a row twice in one statement.
 */
export function toManyRows(sql: string, count: number): string | null {
  const found = insertRegex.exec(sql)
  if (found === null) return null
  const [, head = '', values = '', tail = ''] = found
  return toPostgres(`${head}${Array.from({ length: count }, () => values).join(', ')}${tail}`)
}
