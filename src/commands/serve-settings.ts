/** The settings of serve, checked and converted from options. */
import * as z from 'zod';
import { UsageError } from '../errors.ts';

const wholeNumber = (max: number) => z.string().regex(/^\d+$/).transform(Number).pipe(z.int().max(max));

const origin = z
  .string()
  .transform((value) => (URL.canParse(value) ? new URL(value).origin : ''))
  .refine((value) => /^https?:\/\//.test(value));

const listOf = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(item));

const serverSettings = z.object({
  host: z.string().min(1),
  port: wholeNumber(65535),
  tlsCert: z.string().optional(),
  tlsKey: z.string().optional(),
  corsOrigin: listOf(origin).default([]),
  rateLimit: wholeNumber(1_000_000),
  // A bare flag (or "true" from the environment) trusts loopback; addresses trust those as well.
  trustProxy: z
    .union([
      z.boolean(),
      z.enum(['true', '1', 'false', '0', '']).transform((v) => v === 'true' || v === '1'),
      listOf(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])),
    ])
    .default(false),
  allowedHost: listOf(z.string().regex(/^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$/)).default([]),
  lastUsed: z.boolean().default(true),
  log: z.enum(['json', 'off']),
  mcp: z.boolean().default(false),
});

export type ServerSettings = z.infer<typeof serverSettings>;

const EXPECTED: Record<string, string> = {
  host: '--host takes an address, such as 127.0.0.1',
  port: '--port takes a whole number from 0 to 65535, such as 4747',
  corsOrigin: '--cors-origin takes origins such as https://app.example.com, separated by commas',
  rateLimit: '--rate-limit takes a whole number of requests per minute, such as 120, or 0 for no limit',
  allowedHost: '--allowed-host takes names such as journal.example.com, without a port, separated by commas',
  trustProxy: '--trust-proxy takes no value, or IP addresses and networks such as 10.0.0.0/8, separated by commas',
};

/**
 * @param options of serve, as parsed by commander
 * @throws UsageError that names the wrong option
 */
export function serverSettingsOf(options: Record<string, unknown>): ServerSettings {
  const parsed = serverSettings.safeParse(options);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0]);
    throw new UsageError(`${EXPECTED[name] ?? `${name} is wrong`}; got "${String(options[name])}"`);
  }
  const settings = parsed.data;
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key need each other; pass both');
  }
  return settings;
}
