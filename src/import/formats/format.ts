export * from '../table/format.ts';
