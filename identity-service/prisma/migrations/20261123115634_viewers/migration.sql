-- AlterEnum
ALTER TYPE "membership_role" ADD VALUE 'viewer';
