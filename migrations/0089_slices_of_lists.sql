-- Pages of lists are slices of long arrays. Compressed, the whole array would have to be unpacked for each.
ALTER TABLE changed_issues ALTER COLUMN issues SET STORAGE EXTERNAL, ALTER COLUMN ends SET STORAGE EXTERNAL;
ALTER TABLE changed_pages ALTER COLUMN pages SET STORAGE EXTERNAL;
